"""UCT players: one table of versions over shared kernels."""
