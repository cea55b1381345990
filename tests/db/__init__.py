"""Tests of the store against a real SQLite file."""
