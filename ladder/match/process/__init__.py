"""Processes: bots with deadlines and limits, their supervisors, and workers."""
