"""The simplest players as a table."""

from bots.version import Version

SIMPLE = (
    Version(
        "stupid",
        "simple",
        None,
        "plays the leftmost legal column",
        "bots.simple.players:Stupid",
        ("any",),
    ),
    Version(
        "random",
        "simple",
        None,
        "plays a uniformly random legal column",
        "bots.simple.players:Random",
        ("any",),
    ),
)
