"""Tables derived from games: updated when a pair is stored, rebuilt on demand."""
