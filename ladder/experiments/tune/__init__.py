"""Tuning: search the parameters of a bot by games, then gate the result."""
