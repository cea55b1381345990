"""The UCT players v1 to v4, on the array board."""
