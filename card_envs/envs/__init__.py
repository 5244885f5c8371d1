"""The games as environments for learning: one learner, the other seats played inside. No game is named here."""
