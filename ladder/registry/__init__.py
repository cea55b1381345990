"""Bots: specifications, trials, and the registered ones, stored by content."""
