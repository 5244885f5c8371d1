"""Games between people and players.

``sitting`` is a game in play; it knows neither terminals nor pages.
"""
