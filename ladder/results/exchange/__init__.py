"""Games as PGN, CSV and JSON Lines, exported and imported."""
