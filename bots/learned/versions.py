"""The versions with a learned evaluation as a table of differences, and their settings."""

from dataclasses import dataclass

from bots.learned.weights_file import SHIPPED
from bots.options import ranged, refuse_unless
from bots.uct.parameters import MOST_ENDGAME
from bots.uct.settings import SearchSettings
from bots.uct.versions import UCT
from bots.version import Factory, Idea, Row, compose


@dataclass(frozen=True, slots=True)
class EvaluationSettings(SearchSettings):
    """The settings of all searches with a learned evaluation, which have the ideas of v5 to v12."""

    reuse: bool = False
    """v7: the next search reuses the tree below the current position."""
    mixed: int = ranged(0, 0, 256)
    """v22: share of a careful rollout in a new node's value, of 256."""
    cells_per_move: int = ranged(2, 1, 144)
    """v22: empty cells per own move that is expected under a clock. 2 gives all possible moves the
    same time, a larger number gives early moves more."""
    keeping: bool = False
    """v23: both sides of a rollout keep their own winning cells: they do not play below one while
    they have another move."""
    fourth_root: bool = False
    """v23: exploration grows with the fourth root of the parent's visits, not with the logarithm;
    `c` then has another scale."""
    weights: str = SHIPPED
    """The path of a file of weights, a name in `SHIPPED_FILES`, or the SHA-256 of a stored file."""

    def __post_init__(self) -> None:
        refuse_unless(self.mixed > 0 or not self.keeping, "keeping", "needs a mixed above 0")


@dataclass(frozen=True, slots=True)
class LearnedSettings(EvaluationSettings):
    """The settings of v21 on."""

    endgame: int = ranged(0, 0, MOST_ENDGAME)
    """v18: most empty cells of a position that is solved exactly if that is fast."""


ROWS = (
    Row(
        "v21",
        "v18",
        "a learned evaluation in place of rollouts; all children of a node are evaluated at once",
        {"c": 0.2, "weights": "shipped"},
        idea=Idea(
            "bots/learned/network.py:evaluate",
            "+210 [+175, +249] at 40 ms",
            "half of the simulations",
        ),
    ),
    Row(
        "v22",
        "v21",
        "a quarter of a new node's value is the result of one careful rollout",
        {"mixed": 64, "cells_per_move": 4},
        idea=Idea(
            "bots/learned/search.py:_value",
            "+47 [+23, +71] at 40 ms",
            "a quarter of the simulations",
        ),
    ),
    Row(
        "v23",
        "v22",
        "rollouts keep their threats; exploration grows with the fourth root of the visits",
        {"keeping": True, "fourth_root": True, "c": 0.07},
        idea=Idea("bots/uct/ucb.py:fourth_root_exploration", "+123 ± 31 at 40 ms"),
    ),
    Row(
        "v24",
        "v23",
        "weights that learned from 30,000 games of v23",
        {"weights": "fifth-generation"},
        idea=Idea("bots/learned/fit.py:fit", "+21 ± 14 at 40 ms", "30,000 games to learn from"),
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
