"""Export of games as PGN, CSV and JSON Lines, and import of JSON Lines."""
