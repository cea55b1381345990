"""Shared layout: escaped text, tables, Elo, the board, progress."""
