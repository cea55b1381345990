"""The name of the strongest built-in player; imports nothing."""

CHAMPION = "v21"
"""By matches at equal time (docs/results/v21-v18.md); it gives hints unless another is named."""
