"""The choice of the best of several candidates: games among those that can still be the best."""
