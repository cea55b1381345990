"""Checks of this machine and of a database, each a finding of its own."""
