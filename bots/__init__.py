"""Players, the protocol they speak, and the process that hosts the built-in ones."""
