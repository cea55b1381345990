"""Terminal output: consoles, screens redrawn in place, key presses and the board."""
