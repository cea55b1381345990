"""The strongest built-in player; this module imports nothing."""

CHAMPION = "v22"
"""Winner of matches at equal time (docs/results/v22.md), and the default player for hints."""
