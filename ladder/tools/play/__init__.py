"""A person against a bot: the game, and the commands that a person types."""
