"""Players whose search uses a learned evaluation instead of rollouts."""
