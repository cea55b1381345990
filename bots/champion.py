"""The strongest built-in player; this module imports nothing."""

CHAMPION = "v24"
"""Winner of matches at equal time (docs/results/champions.md), and the default player for hints."""
