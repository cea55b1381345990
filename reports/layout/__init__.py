"""Shared parts of reports: escaped text, tables, Elo, the board, progress."""
