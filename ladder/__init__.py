"""The ladder: errors, signals and names that all of its packages share."""
