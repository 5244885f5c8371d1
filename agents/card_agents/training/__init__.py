"""Training by self-play: the learner, its opponent pool, checkpoints, and the run that combines them."""
