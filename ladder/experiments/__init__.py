"""Experiments on bots: gate, select, bisect, tune, nightly and test suites."""
