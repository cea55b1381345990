"""One bot process: start, ask with a deadline, limit, end."""
