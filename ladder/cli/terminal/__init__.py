"""The terminal: consoles, a picture drawn anew in place with the keys that are pressed, a board."""
