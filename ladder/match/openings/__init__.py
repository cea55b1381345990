"""Sets of openings: read from files, kept in the database, drawn by value."""
