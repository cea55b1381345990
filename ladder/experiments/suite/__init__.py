"""Suites: positions with exactly one right move, mined, checked and put to bots."""
