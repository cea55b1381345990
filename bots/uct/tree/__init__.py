"""The UCT players with a fast tree, v5 to v13 and v18 on."""
