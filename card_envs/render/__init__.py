"""Pictures of positions; no game logic."""
