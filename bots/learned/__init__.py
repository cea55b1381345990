"""Players whose search asks a learned evaluation instead of playing rollouts."""
