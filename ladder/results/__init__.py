"""Stored results: rating lists, comparisons, exact analysis, exchange formats, overviews."""
