"""The game: boards, positions, openings and compiled kernels.

No clock; reads no file but caches and the solver's book.
"""
