"""Ratings over time: the pool rated anew at some fifty moments, from slices counted in one pass."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from db.records.history import HistorySlice
from ladder.results.standings.anchors import anchored
from ladder.stats.pool.cells import Cells, from_tables, groups
from ladder.stats.pool.rating import rate_pool


@dataclass(frozen=True, slots=True)
class RatedMoment:
    """One bot's list rating when a number of games had been stored."""

    bot: str
    games: int
    """Games of the whole division by then."""
    time: float
    """Start of the latest of them, epoch seconds."""
    elo: float
    error95: float
    """Half the 95 % interval in Elo."""


def rating_history(
    slices: Sequence[HistorySlice], current: set[int], anchors: Mapping[str, float] | None = None
) -> tuple[RatedMoment, ...]:
    """Every bot's rating after each slice, as far as games connect it with most of the others.

    Args:
        slices: oldest first, as `store.history.slices` counts them.
        current: the revisions that the rating list counts.
        anchors: fixed ratings in Elo by name; they hold from the moment on at which all have games.

    """
    counts: dict[tuple[str, str, str], Counter[int]] = {}
    moments: list[RatedMoment] = []
    games = 0
    for part in slices:
        for pairs in part.pairs:
            if pairs.a_revision in current and pairs.b_revision in current:
                table = counts.setdefault(
                    (pairs.a_name, pairs.b_name, pairs.board_class), Counter()
                )
                first, second = pairs.results
                table[3 * first.points2 + second.points2] += pairs.count
                games += 2 * pairs.count
        if counts:
            moments += _moment(counts, games, part.until, anchors or {})
    return tuple(moments)


def _moment(
    counts: dict[tuple[str, str, str], Counter[int]],
    games: int,
    time: float,
    anchors: Mapping[str, float],
) -> list[RatedMoment]:
    """The ratings of the largest group of bots that the games so far connect."""
    players = sorted({name for a, b, _ in counts for name in (a, b)})
    rows = list(counts.items())
    connected = groups(cells=_cells(players, rows))
    if len(connected) > 1:
        players = sorted(connected[0])
        rows = [row for row in rows if row[0][0] in connected[0]]
    fixed = anchors if set(anchors) <= set(players) else None
    rating = rate_pool(cells=_cells(players, rows), options=anchored(fixed))
    return [
        RatedMoment(name, games, time, float(elo), float(error))
        for name, elo, error in zip(players, rating.elo, rating.error95, strict=True)
    ]


def _cells(players: list[str], rows: list[tuple[tuple[str, str, str], Counter[int]]]) -> Cells:
    place = {name: index for index, name in enumerate(players)}
    classes = sorted({key[2] for key, _ in rows})
    return from_tables(
        players=players,
        a=[place[a] for (a, _, _), _ in rows],
        b=[place[b] for (_, b, _), _ in rows],
        counts=[[table[outcome] for outcome in range(9)] for _, table in rows],
        board_class=[classes.index(name) for (_, _, name), _ in rows],
        classes=classes,
    )
