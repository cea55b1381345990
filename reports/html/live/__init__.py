"""Pages that a server sends: frames, and the parts of them that change while they are open."""
