"""The UCT family: one table of versions over a few shared kernels."""
