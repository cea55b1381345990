"""Tuning: a bot's numbers are searched by games of two settings, and a gate judges the find."""
