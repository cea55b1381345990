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
    Version(
        "flat-mc",
        "simple",
        None,
        "flat Monte Carlo: random games after every legal move, their results summed",
        "bots.simple.flat:FlatMonteCarlo",
        ("time", "simulations"),
    ),
    Version(
        "null",
        "simple",
        None,
        "plays one fixed game of 20 plies, to measure the harness",
        "bots.simple.players:Null",
        ("any",),
        hidden=True,
    ),
)
