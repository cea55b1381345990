"""Speed of the harness and of the players."""
