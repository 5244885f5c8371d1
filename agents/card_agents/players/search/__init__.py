"""Players that search: they draw worlds from what their seat sees and look ahead in them. Any game has them."""

from __future__ import annotations

from card_agents.players.search.exact import ExactAgent
from card_agents.players.search.guided import GuidedAgent
from card_agents.players.search.ismcts import IsmctsAgent
from card_agents.players.search.pimc import PimcAgent
from card_agents.players.search.searcher import Searcher

__all__ = ["ExactAgent", "GuidedAgent", "IsmctsAgent", "PimcAgent", "Searcher"]
