"""The UCT players v14 to v17: positions reached by different move orders share one node."""
