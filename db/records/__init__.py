"""Records that cross the border of the database: frozen, without database objects."""
