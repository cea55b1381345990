"""Ratings and tests as pure functions on counts. All Elo here is on one scale."""
