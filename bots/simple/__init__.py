"""Baseline players: random, first-column and flat Monte Carlo."""
