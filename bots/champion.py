"""The strongest built-in player; this module imports nothing."""

CHAMPION = "v23"
"""Winner of matches at equal time (docs/results/v23.md), and the default player for hints."""
