"""The referee of a game and the bot processes that it plays with."""
