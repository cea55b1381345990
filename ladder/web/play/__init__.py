"""Games of people against bots, each with a process of its own."""
