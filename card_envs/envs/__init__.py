"""The games as reinforcement-learning environments: one learner, the other seats played inside. No game is named here."""
