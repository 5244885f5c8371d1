"""Exact solving of games small enough for a full game tree: best responses, exploitability, equilibria.

>>> from card_agents.equilibrium import policies_of, worst_case, build_trees
>>> import card_agents, card_envs
>>> def exploitability(game):
...     trees = build_trees(game)
...     return worst_case(trees, policies_of(trees, card_agents.RandomAgent(game))).exploitability
"""

from __future__ import annotations

from card_agents.equilibrium.cfr import CFR, CFRLimit
from card_agents.equilibrium.solving import build_trees, cfr_agent, meeting, policies_of, solve, worst_case
from card_agents.equilibrium.strategies import best_response, best_responses, exploitability, uniform, value
from card_agents.equilibrium.tabular import TabularAgent, policy_of
from card_agents.equilibrium.tree import Tree, build_tree, measure

__all__ = [
    "CFR",
    "CFRLimit",
    "TabularAgent",
    "Tree",
    "best_response",
    "best_responses",
    "build_tree",
    "build_trees",
    "cfr_agent",
    "exploitability",
    "measure",
    "meeting",
    "policies_of",
    "policy_of",
    "solve",
    "uniform",
    "value",
    "worst_case",
]
