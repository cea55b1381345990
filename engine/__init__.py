"""The game: boards, positions, openings and compiled kernels. No clock."""
