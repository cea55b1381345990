"""The versions with a learned evaluation as a table of differences.

Each row has only its differences from the row it is based on.
"""

from bots.learned.settings import LearnedSettings
from bots.uct.versions import UCT
from bots.version import Factory, Row, compose

ROWS = (
    Row(
        "v21",
        "v18",
        "a learned evaluation in place of rollouts; all children of a node are evaluated at once",
        {"c": 0.2, "weights": "shipped"},
    ),
    Row(
        "v22",
        "v21",
        "a quarter of a new node's value is the result of one careful rollout",
        {"mixed": 64, "cells_per_move": 4},
    ),
    Row(
        "v23",
        "v22",
        "rollouts keep their threats; exploration grows with the fourth root of the visits",
        {"keeping": True, "fourth_root": True, "c": 0.07},
    ),
    Row(
        "v24",
        "v23",
        "weights that learned from 30,000 games of v23",
        {"weights": "fifth-generation"},
    ),
)

LEARNED = compose(
    ROWS,
    family="uct",
    players={"": Factory("bots.learned.player:LearnedPlayer", LearnedSettings)},
    budgets=("time", "simulations"),
    contents={"weights": "bots.learned.weights_file:store_weights"},
    bases=UCT,
)
