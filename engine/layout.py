"""Sizes of sets of cells, apart from boards and positions: kernels depend on all they import."""

MAX_SIDE = 12
"""Most rows, and most columns."""
LANE = 16
"""Bits per column."""
