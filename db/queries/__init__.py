"""SQL by subject: each module reads and writes one kind of stored record."""
