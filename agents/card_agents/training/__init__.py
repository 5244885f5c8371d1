"""Training by self-play: the learner, the pool of opponents, checkpoints, and the run that holds them together."""
