"""Test suites: positions with one right move, made, checked and given to bots."""
