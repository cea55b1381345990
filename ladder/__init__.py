"""The ladder: plans pairs, plays them in subprocesses, rates the results."""
