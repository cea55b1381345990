"""Experiments on bots: gate, select, bisect, tune and suites of positions."""
