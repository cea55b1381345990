"""Self-learning: a player plays against changed copies of itself and keeps what wins."""
