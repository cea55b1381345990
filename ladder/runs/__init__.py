"""Runs: settings, schedule, runner, workers and progress."""
