"""The player of the exact value, as far as the solver finds it in time."""
