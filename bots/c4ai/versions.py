"""The self-learning player as a row of the catalogue."""

from bots.c4ai.weights import Options
from bots.version import Version

C4AI = (
    Version(
        "c4ai",
        "c4ai",
        None,
        "alpha-beta to odd depths; groups, ataris and played-out threats under learned weights",
        "bots.c4ai.player:C4ai",
        ("time", "depth", "nodes"),
        {"weights": "published"},
        contents={"weights": "bots.c4ai.weights:inline_weights"},
        behaviour=2,
        settings=Options,
    ),
)
