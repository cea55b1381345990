"""Games of people against bots, each with a bot process."""
