"""Search players for any game: they look ahead in determinizations (worlds sampled from what their seat sees)."""

from __future__ import annotations

from card_agents.players.search.exact import ExactAgent
from card_agents.players.search.guided import GuidedAgent
from card_agents.players.search.ismcts import IsmctsAgent
from card_agents.players.search.pimc import PimcAgent
from card_agents.players.search.searcher import Searcher

__all__ = ["ExactAgent", "GuidedAgent", "IsmctsAgent", "PimcAgent", "Searcher"]
