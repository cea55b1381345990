"""What crosses the border of the database: frozen records without database objects."""
