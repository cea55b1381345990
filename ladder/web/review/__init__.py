"""Reviews of games that visitors ask for, one at a time in a process of its own."""
