"""Exact analysis of stored games: positions solved, moves judged, mistakes counted."""
