"""Records that the database hands out and takes in, and the packed form of bot output."""
