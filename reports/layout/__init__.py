"""The layout of reports: safe text, tables, Elo in words, the board, progress."""
