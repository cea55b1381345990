"""The gate: is a candidate worse than its baselines by more than it may be?"""
