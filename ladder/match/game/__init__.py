"""The referee of a game, and the pool of bot processes that it plays with."""
