"""The strongest built-in player; this module imports nothing."""

CHAMPION = "v24"
"""Winner of matches at equal time (docs/results/v23-ideas.md), and the default player for hints."""
