"""Records that cross the border of the database, and the packed form of thoughts."""
