"""Checks of this machine and of a database."""
