"""The self-learning player: alpha-beta over groups, ataris and threats, with six weights."""
