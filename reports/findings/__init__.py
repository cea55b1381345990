"""Findings of runs and experiments: one text, JSON document and JUnit file for each kind."""
