"""The UCT players whose rollouts look ahead by no ply."""
