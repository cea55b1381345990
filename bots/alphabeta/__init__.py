"""Alpha-beta players: one search, and an evaluation built up version by version."""
