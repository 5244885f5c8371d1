"""The tournament: agents in a round robin over the same deals, with ratings; and sequential tests of two."""
