"""The game: boards, positions, openings and compiled kernels. No I/O, no clock."""
