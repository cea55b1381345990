"""The queue on pages: the form of an experiment, its submission and its cost."""
