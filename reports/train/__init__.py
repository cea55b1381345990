"""Trainings while they go on, a module for each player that learns."""
