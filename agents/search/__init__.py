"""Players that search: they draw worlds from what their seat sees and look ahead in them. Any game has them."""

from __future__ import annotations

from agents.search.exact import ExactAgent
from agents.search.guided import GuidedAgent
from agents.search.ismcts import IsmctsAgent
from agents.search.pimc import PimcAgent
from agents.search.searcher import Searcher

__all__ = ["ExactAgent", "GuidedAgent", "IsmctsAgent", "PimcAgent", "Searcher"]
