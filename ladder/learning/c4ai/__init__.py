"""Training of c4ai: a player plays mutated copies of itself and keeps what wins."""
