"""Experiments on bots: gate, select, bisect, tune and test suites."""
