"""Tables derived from games: updated when a pair is stored, and recomputed on demand."""
