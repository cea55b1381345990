"""A database as it is now: what is being played and how fast, and what a run has changed."""
