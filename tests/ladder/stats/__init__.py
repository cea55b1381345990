"""Ratings and tests, on published and on invented numbers."""
