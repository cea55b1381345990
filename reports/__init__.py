"""Standings and comparisons as tables, JSON, CSV and Markdown. No SQL of its own."""
