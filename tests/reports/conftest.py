"""Fixtures for the tests of reports."""

from tests.support.new_databases import quick_databases  # noqa: F401 - for all tests here
