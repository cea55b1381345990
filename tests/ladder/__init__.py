"""Tests of the harness: one bot process, games, schedules, ratings."""
