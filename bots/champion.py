"""The name of the strongest built-in player; imports nothing."""

CHAMPION = "v22"
"""By matches at equal time (docs/results/v22.md); it gives hints unless another is named."""
