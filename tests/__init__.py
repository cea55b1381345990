"""Tests, beside the idea they hold."""
