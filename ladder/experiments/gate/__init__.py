"""The gate: a sequential test whether a candidate is worse than its baselines."""
