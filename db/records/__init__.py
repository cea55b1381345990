"""Records that the store returns and accepts. They load no database code."""
