"""Specifications of bots: from what a user writes to what can be started."""
