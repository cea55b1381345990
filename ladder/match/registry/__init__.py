"""Registered bots: built-in players kept up to date, other bots checked and added."""
