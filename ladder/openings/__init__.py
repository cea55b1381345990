"""Opening books: read from files, stored, and drawn by their exact value."""
