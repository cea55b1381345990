"""The arithmetic of the aggregate.

`sum_pair` computes what a pair adds to it. Storing a pair, rebuilding the aggregate, and the tables
of a run or a time span all use it, so they cannot disagree.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from db.derived.game_columns import FIRST_COLUMNS, SECOND_COLUMNS
from db.records.aggregate import PairTableRow
from db.records.sides import SideSums, SideTotals
from engine.result import FORFEITS

TableKey = tuple[int, str, int, int]
"""Division, board class, A's and B's revision; A's is not the greater one."""

GRID = ("ll", "ld", "lw", "dl", "dd", "dw", "wl", "wd", "ww")
SIDE = SideSums.__struct_fields__
"""Sums of one side's moves."""
TABLE_SUMS = (*GRID, *(f"{side}_{name}" for side in "ab" for name in SIDE), "plies", "repeats")
"""Columns of `pair_tables` after its key, in the order of `PairSums.values`."""
MAXIMA = frozenset({"a_max_us", "b_max_us"})
"""Columns of TABLE_SUMS that combine by the maximum instead of the sum."""
TABLE_KEY = ("division_id", "board_class", "a_revision_id", "b_revision_id")
FORFEIT_KEY = (*TABLE_KEY, "offender", "termination")

_MAXIMA_AT = tuple(TABLE_SUMS.index(name) for name in sorted(MAXIMA))
_MAX_US = SIDE.index("max_us")
_SCORE = {"loss": 0, "draw": 1, "win": 2}
_FORFEITS = frozenset(kind.value for kind in FORFEITS)

GAME_COLUMNS = (
    *("id", "pair_id", "division_id", "game", "first_revision_id", "second_revision_id"),
    *("board_class", "plies", "result", "termination", "offender", "repeat"),
    *FIRST_COLUMNS,
    *SECOND_COLUMNS,
)
"""Columns of a game that `sum_pair` and `whole_pairs` read."""

GameValues = Mapping[str, Any]
"""A game's values by column."""


class PairSums(NamedTuple):
    """Sums over the pairs of one key."""

    values: list[int]
    """One value for each column in TABLE_SUMS."""
    forfeits: dict[tuple[int, str], int]
    """Forfeited games by offender (0 for A, 1 for B) and termination, without zeros."""


def sum_pair(game0: GameValues, game1: GameValues) -> tuple[TableKey, PairSums]:
    """Return a pair's key in the aggregate and its sums."""
    starter, other = game0["first_revision_id"], game0["second_revision_id"]
    # A pair of a revision with itself has A move first in game 0.
    if starter <= other:
        a_first, b_first = game0, game1
    else:
        a_first, b_first, starter, other = game1, game0, other, starter
    # A, the lower revision, moves first in `a_first` and second in `b_first`.
    values = [0] * len(GRID)
    values[3 * _SCORE[a_first["result"]] + 2 - _SCORE[b_first["result"]]] = 1
    values += _add_sides(a_first, FIRST_COLUMNS, b_first, SECOND_COLUMNS)
    values += _add_sides(a_first, SECOND_COLUMNS, b_first, FIRST_COLUMNS)
    values.append(a_first["plies"] + b_first["plies"])
    values.append(int(a_first["repeat"]) + int(b_first["repeat"]))
    forfeits: dict[tuple[int, str], int] = {}
    for game, seat_of_a in ((a_first, 0), (b_first, 1)):
        # An offender stored with a game that no bot forfeited is damage, reported by an audit.
        if game["offender"] is not None and game["termination"] in _FORFEITS:
            which = int(game["offender"] != seat_of_a), game["termination"]
            forfeits[which] = forfeits.get(which, 0) + 1
    key = (a_first["division_id"], a_first["board_class"], starter, other)
    return key, PairSums(values, forfeits)


def _add_sides(
    game: GameValues,
    names: tuple[str, ...],
    other: GameValues,
    other_names: tuple[str, ...],
) -> list[int]:
    """Return the sums of the sides with these columns in two games, in the order of SIDE."""
    values = [game[a] + other[b] for a, b in zip(names, other_names, strict=True)]
    values[_MAX_US] = max(game[names[_MAX_US]], other[other_names[_MAX_US]])
    return values


def whole_pairs(games: Iterable[GameValues]) -> Iterator[tuple[GameValues, GameValues]]:
    """Yield game 0 and game 1 of each pair of which both games are given."""
    waiting: dict[int, GameValues] = {}
    for game in games:
        partner = waiting.pop(game["pair_id"], None)
        if partner is None:
            waiting[game["pair_id"]] = game
        else:
            yield (partner, game) if game["game"] else (game, partner)


def add_sums(tables: dict[TableKey, PairSums], key: TableKey, sums: PairSums) -> None:
    """Add sums to those of their key in the aggregate."""
    known = tables.get(key)
    if known is None:
        tables[key] = sums
        return
    stored, values = known.values, sums.values
    maxima = [max(stored[at], values[at]) for at in _MAXIMA_AT]
    for at, value in enumerate(values):
        stored[at] += value
    for at, value in zip(_MAXIMA_AT, maxima, strict=True):
        stored[at] = value
    for which, games in sums.forfeits.items():
        known.forfeits[which] = known.forfeits.get(which, 0) + games


def forfeit_counts(tables: Mapping[TableKey, PairSums]) -> dict[tuple[Any, ...], int]:
    """Return the rows of `forfeits`: numbers of games by FORFEIT_KEY."""
    return {
        (*key, *which): games
        for key, sums in tables.items()
        for which, games in sums.forfeits.items()
    }


def to_table_row(key: TableKey, sums: PairSums, names: Mapping[int, str]) -> PairTableRow:
    """Return a row of the aggregate as a record; `names` maps revisions to bots."""
    division, board_class, a, b = key
    values, start, width = sums.values, len(GRID), len(SIDE)
    failures: tuple[dict[str, int], ...] = ({}, {})
    for (offender, termination), games in sums.forfeits.items():
        failures[offender][termination] = games
    return PairTableRow(
        division_id=division,
        board_class=board_class,
        a_revision=a,
        b_revision=b,
        a_name=names[a],
        b_name=names[b],
        counts=tuple(values[:start]),
        a=SideTotals(*values[start : start + width], failures=failures[0]),
        b=SideTotals(*values[start + width : start + 2 * width], failures=failures[1]),
        repeats=values[-1],
    )
