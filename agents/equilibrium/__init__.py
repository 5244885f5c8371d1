"""Exact play of games small enough to be written out in full: best responses, exploitability, equilibria.

>>> from agents.equilibrium import policies_of, worst_of, write_out_all
>>> import agents, card_envs
>>> def exploitability(game):
...     trees = write_out_all(game)
...     return worst_of(trees, policies_of(trees, agents.RandomAgent(game))).exploitability
"""

from __future__ import annotations

from agents.equilibrium.asking import TabularAgent, policy_of
from agents.equilibrium.cfr import CFR, Effort
from agents.equilibrium.solving import cfr_agent, meeting, policies_of, solve, worst_of, write_out_all
from agents.equilibrium.strategies import best_response, exploitability, uniform, value
from agents.equilibrium.tree import Tree, measure, write_out

__all__ = [
    "CFR",
    "Effort",
    "TabularAgent",
    "Tree",
    "best_response",
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
