"""Games as text: PGN, CSV and JSON Lines, out and in again."""
