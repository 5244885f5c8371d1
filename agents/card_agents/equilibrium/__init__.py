"""Exact play of games small enough to be written out in full: best responses, exploitability, equilibria.

>>> from card_agents.equilibrium import policies_of, worst_of, write_out_all
>>> import card_agents, card_envs
>>> def exploitability(game):
...     trees = write_out_all(game)
...     return worst_of(trees, policies_of(trees, card_agents.RandomAgent(game))).exploitability
"""

from __future__ import annotations

from card_agents.equilibrium.asking import TabularAgent, policy_of
from card_agents.equilibrium.cfr import CFR, Effort
from card_agents.equilibrium.solving import cfr_agent, meeting, policies_of, solve, worst_of, write_out_all
from card_agents.equilibrium.strategies import best_response, best_responses, exploitability, uniform, value
from card_agents.equilibrium.tree import Tree, measure, write_out

__all__ = [
    "CFR",
    "Effort",
    "TabularAgent",
    "Tree",
    "best_response",
    "best_responses",
    "cfr_agent",
    "exploitability",
    "measure",
    "meeting",
    "policies_of",
    "policy_of",
    "solve",
    "uniform",
    "value",
    "worst_of",
    "write_out",
    "write_out_all",
]
