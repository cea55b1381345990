"""The current state of a database: runs, bots, games, and the effect of a run."""
