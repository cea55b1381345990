"""UCT players v14 to v17: a graph in which transpositions share a node."""
