"""UCT players with rollouts without look-ahead."""
