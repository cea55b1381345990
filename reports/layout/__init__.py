"""What reports are laid out with: safe text, tables, Elo in words, the board, progress."""
