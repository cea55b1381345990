"""Rating lists and comparisons, computed from the stored aggregate."""
