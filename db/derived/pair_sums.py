"""The arithmetic of the aggregate: what one pair adds to it, and its rows.

One function says what a pair of games adds. Storing a pair, rebuilding the aggregate and tables
of a run or a time span all use it, so they cannot disagree.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from db.derived.game_columns import FIRST, SECOND
from db.records.aggregate import PairTableRow
from db.records.sides import SideSums, SideTotals
from engine.result import FORFEITS

Key = tuple[int, str, int, int]
"""Division, board class, A's revision, B's revision; A's is never the greater."""

GRID = ("ll", "ld", "lw", "dl", "dd", "dw", "wl", "wd", "ww")
SIDE = SideSums.__struct_fields__
SUMS = (*GRID, *(f"{side}_{name}" for side in "ab" for name in SIDE), "plies", "repeats")
"""The columns of `pair_tables` behind its key, in the order of `PairSums.values`."""
MAXIMA = frozenset({"a_max_us", "b_max_us"})
"""Those that take the greater value instead of the sum."""
KEY = ("division_id", "board_class", "a_revision_id", "b_revision_id")
FORFEIT_KEY = (*KEY, "offender", "termination")

_MAXIMA_AT = tuple(SUMS.index(name) for name in sorted(MAXIMA))
_SCORE = {"loss": 0, "draw": 1, "win": 2}
_FORFEITS = frozenset(kind.value for kind in FORFEITS)

GAME_COLUMNS = (
    *("id", "pair_id", "division_id", "game", "first_revision_id", "second_revision_id"),
    *("board_class", "plies", "result", "termination", "offender", "repeat"),
    *FIRST,
    *SECOND,
)
"""The columns of a stored game that `contribution` and `whole_pairs` read."""

GameValues = Mapping[str, Any]
"""A game's values by the names of its columns."""


class PairSums(NamedTuple):
    """Sums over pairs of one key."""

    values: list[int]
    """One for each of SUMS."""
    forfeits: dict[tuple[int, str], int]
    """Games by offender (0: A, 1: B) and termination; kinds without a game are missing."""


def contribution(game0: GameValues, game1: GameValues) -> tuple[Key, PairSums]:
    """Return the key of a pair in the aggregate and what its two games add there."""
    starter, other = game0["first_revision_id"], game0["second_revision_id"]
    # A pair of a revision with itself has A move first in game 0.
    if starter <= other:
        ours, theirs = game0, game1
    else:
        ours, theirs, starter, other = game1, game0, other, starter
    # From here on A, the lower revision, moves first in `ours` and second in `theirs`.
    values = [0] * len(GRID)
    values[3 * _SCORE[ours["result"]] + 2 - _SCORE[theirs["result"]]] = 1
    values += _side(ours, FIRST, theirs, SECOND)
    values += _side(ours, SECOND, theirs, FIRST)
    values.append(ours["plies"] + theirs["plies"])
    values.append(int(ours["repeat"]) + int(theirs["repeat"]))
    forfeits: dict[tuple[int, str], int] = {}
    for game, seat_of_a in ((ours, 0), (theirs, 1)):
        # An offender stored with a game that no bot forfeited is damage, reported by an audit.
        if game["offender"] is not None and game["termination"] in _FORFEITS:
            which = int(game["offender"] != seat_of_a), game["termination"]
            forfeits[which] = forfeits.get(which, 0) + 1
    key = (ours["division_id"], ours["board_class"], starter, other)
    return key, PairSums(values, forfeits)


def _side(
    ours: GameValues,
    our_names: tuple[str, ...],
    theirs: GameValues,
    their_names: tuple[str, ...],
) -> list[int]:
    values = [ours[a] + theirs[b] for a, b in zip(our_names, their_names, strict=True)]
    values[2] = max(ours[our_names[2]], theirs[their_names[2]])
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


def add(tables: dict[Key, PairSums], key: Key, sums: PairSums) -> None:
    """Add a contribution to the aggregate."""
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


def forfeit_counts(tables: Mapping[Key, PairSums]) -> dict[tuple[Any, ...], int]:
    """Return the rows of `forfeits`: games by FORFEIT_KEY."""
    return {
        (*key, *which): games
        for key, sums in tables.items()
        for which, games in sums.forfeits.items()
    }


def to_row(key: Key, sums: PairSums, names: Mapping[int, str]) -> PairTableRow:
    """Return the record for readers; `names` gives a revision's bot."""
    division, board_class, a, b = key
    values, width = sums.values, len(SIDE)
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
        counts=tuple(values[:9]),
        a=SideTotals(*values[9 : 9 + width], failures=failures[0]),
        b=SideTotals(*values[9 + width : 9 + 2 * width], failures=failures[1]),
        plies=values[-2],
        repeats=values[-1],
    )
