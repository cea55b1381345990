"""UCT players whose rollouts do not look ahead."""
