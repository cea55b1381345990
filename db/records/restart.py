"""When bots' processes are restarted. Imports nothing heavy, as command lines need it."""

from enum import StrEnum


class Restart(StrEnum):
    """When a bot's process is restarted if nothing fails."""

    GAME = "game"
    PAIR = "pair"
    NEVER = "never"
