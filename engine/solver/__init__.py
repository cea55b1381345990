"""The exact solver: win, draw or loss of a position, and the distance in plies."""
