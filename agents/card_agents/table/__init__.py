"""Games between people and players, and the page on which people sit down to them.

``sitting`` is a game in play; it knows neither terminals nor pages. ``room`` holds many of them, each at one of its
``tables``, and ``store`` keeps them; ``application`` answers the page, after ``guard`` has looked at who asks;
``serving`` listens.
"""
