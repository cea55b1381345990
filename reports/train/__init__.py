"""Progress of trainings, one module per player."""
