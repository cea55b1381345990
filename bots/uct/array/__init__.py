"""UCT players v1 to v4, on an array board."""
