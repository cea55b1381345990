"""Tests of ratings and tests, on published and simulated numbers."""
