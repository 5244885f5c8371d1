"""The tournament: a round robin of agents over the same deals, with ratings; and sequential tests of two agents."""
