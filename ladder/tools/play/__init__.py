"""Games of a person against a bot."""
