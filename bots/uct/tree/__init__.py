"""UCT players v5 to v13 and v18 to v20, with a fast tree."""
