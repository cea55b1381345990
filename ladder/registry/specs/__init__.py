"""Bot specifications: from what a user writes to a command that can be started."""
