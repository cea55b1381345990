"""The current state of a database: runs, their speed, and what a run has changed."""
