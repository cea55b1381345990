"""Nights: store the new commits of a branch, and play until each step's answer is known."""
