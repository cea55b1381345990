"""How often a bot's process is renewed. Imports nothing heavy: the command line reads it too."""

from enum import StrEnum


class Restart(StrEnum):
    """How often a bot's process is renewed when nothing fails."""

    GAME = "game"
    PAIR = "pair"
    NEVER = "never"
