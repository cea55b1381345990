"""Sections of a report page, one module each."""
