"""The table that people sit at: a page served by this machine, to play, look and replay.

``sitting`` is a game in play; ``room`` keeps many of them and ``store`` writes them down; ``application`` answers the
page, after ``guard`` has looked at who asks; ``serving`` runs it.
"""
