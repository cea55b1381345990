"""The name of the strongest built-in player; imports nothing."""

CHAMPION = "v21"
"""By matches at equal time (docs/ideas.md). It gives the hints unless another is named."""
