"""Runs of many pairs: settings, schedule, queue, runner, workers, progress."""
