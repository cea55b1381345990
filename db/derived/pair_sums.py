"""The arithmetic of the aggregate: what one pair adds to it, and its rows.

One function says what a pair of games adds. Storing a pair, rebuilding the aggregate and tables
of a run or a time span all use it, so they cannot disagree.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from db.derived.game_columns import FIRST, SECOND
from db.records.aggregate import PairTableRow
from db.records.sides import SideTotals
from engine.result import FORFEITS

Key = tuple[int, str, int, int]
"""Division, board class, A's revision, B's revision; A's is never the greater."""

GRID = ("ll", "ld", "lw", "dl", "dd", "dw", "wl", "wd", "ww")
SIDE = SideTotals.__struct_fields__
SUMS = (*GRID, *(f"{side}_{name}" for side in "ab" for name in SIDE), "plies", "repeats")
"""The columns of the aggregate behind its key, in the order of the lists of this module."""
MAXIMA = frozenset({"a_max_us", "b_max_us"})
"""Those that take the greater value instead of the sum."""
KEY = ("division_id", "board_class", "a_revision_id", "b_revision_id")

_MAXIMA_AT = tuple(SUMS.index(name) for name in sorted(MAXIMA))
_SCORE = {"loss": 0, "draw": 1, "win": 2}
_FORFEIT_AT = {reason.value: SIDE.index(reason.value) for reason in FORFEITS}

GAME_COLUMNS = (
    *("id", "pair_id", "division_id", "game", "first_revision_id", "second_revision_id"),
    *("board_class", "plies", "result", "termination", "offender", "repeat"),
    *FIRST,
    *SECOND,
)
"""The columns of a stored game that `contribution` and `whole_pairs` read."""

GameValues = Mapping[str, Any]
"""A game's values by the names of its columns."""


def contribution(game0: GameValues, game1: GameValues) -> tuple[Key, list[int]]:
    """The share of a pair's two games in the aggregate: its key and a value for each of SUMS."""
    starter, other = game0["first_revision_id"], game0["second_revision_id"]
    # A pair of a revision with itself has A move first in game 0.
    if starter <= other:
        ours, theirs = game0, game1
    else:
        ours, theirs, starter, other = game1, game0, other, starter
    # From here on A, the lower revision, moves first in `ours` and second in `theirs`.
    values = [0] * len(GRID)
    values[3 * _SCORE[ours["result"]] + 2 - _SCORE[theirs["result"]]] = 1
    values += _side(ours, FIRST, 0, theirs, SECOND, 1)
    values += _side(ours, SECOND, 1, theirs, FIRST, 0)
    values.append(ours["plies"] + theirs["plies"])
    values.append(int(ours["repeat"]) + int(theirs["repeat"]))
    return (ours["division_id"], ours["board_class"], starter, other), values


def _side(
    ours: GameValues,
    our_names: tuple[str, ...],
    our_seat: int,
    theirs: GameValues,
    their_names: tuple[str, ...],
    their_seat: int,
) -> list[int]:
    values = [ours[a] + theirs[b] for a, b in zip(our_names, their_names, strict=True)]
    values[2] = max(ours[our_names[2]], theirs[their_names[2]])
    values += [0] * len(FORFEITS)
    for game, seat in ((ours, our_seat), (theirs, their_seat)):
        # A stored offender of a game that no bot forfeited is damage, which an audit tells.
        if game["offender"] == seat and game["termination"] in _FORFEIT_AT:
            values[_FORFEIT_AT[game["termination"]]] += 1
    return values


def whole_pairs(games: Iterable[GameValues]) -> Iterator[tuple[GameValues, GameValues]]:
    """Game 0 and game 1 of each pair of which both are among the games, as they complete."""
    waiting: dict[int, GameValues] = {}
    for game in games:
        partner = waiting.pop(game["pair_id"], None)
        if partner is None:
            waiting[game["pair_id"]] = game
        else:
            yield (partner, game) if game["game"] else (game, partner)


def add(tables: dict[Key, list[int]], key: Key, values: list[int]) -> None:
    """Add a contribution to the aggregate."""
    stored = tables.get(key)
    if stored is None:
        tables[key] = values
        return
    maxima = [max(stored[at], values[at]) for at in _MAXIMA_AT]
    for at, value in enumerate(values):
        stored[at] += value
    for at, value in zip(_MAXIMA_AT, maxima, strict=True):
        stored[at] = value


def to_row(key: Key, values: list[int], names: Mapping[int, str]) -> PairTableRow:
    """The record for readers; `names` gives a revision's bot."""
    division, board_class, a, b = key
    width = len(SIDE)
    return PairTableRow(
        division_id=division,
        board_class=board_class,
        a_revision=a,
        b_revision=b,
        a_name=names[a],
        b_name=names[b],
        counts=tuple(values[:9]),
        a=SideTotals(*values[9 : 9 + width]),
        b=SideTotals(*values[9 + width : 9 + 2 * width]),
        plies=values[-2],
        repeats=values[-1],
    )
