"""Ratings over time: the list after each slice of a division's games."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from db.records.history import HistorySlice
from ladder.stats.pool.cells import from_named_tables
from ladder.stats.pool.rating import RatingOptions, rate_connected


@dataclass(frozen=True, slots=True)
class RatedMoment:
    """A bot's list rating after a number of games."""

    bot: str
    games: int
    """Games of the whole division until then."""
    time: float
    """Start of the latest of them, in seconds since the epoch."""
    elo: float
    error95: float
    """Half width of the 95 % interval in Elo."""


def rating_history(
    slices: Sequence[HistorySlice], current: Collection[int], options: RatingOptions | None = None
) -> tuple[RatedMoment, ...]:
    """Rate the bots of the largest connected group after each slice.

    Args:
        slices: slices from `store.history.slices`, oldest first.
        current: revisions that the rating list counts.
        options: rating options; anchors apply as soon as all of them are rated.

    """
    counts: defaultdict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0] * 9)
    moments: list[RatedMoment] = []
    games = 0
    for part in slices:
        for pairs in part.pairs:
            if pairs.a_revision in current and pairs.b_revision in current:
                first, second = pairs.results
                table = counts[pairs.a_name, pairs.b_name, pairs.board_class]
                table[3 * first.points2 + second.points2] += pairs.count
                games += 2 * pairs.count
        if counts:
            cells = from_named_tables((*names, table) for names, table in counts.items())
            rating = rate_connected(cells=cells, options=options, may_lack_anchors=True).rating
            moments += [
                RatedMoment(name, games, part.until, float(elo), float(error))
                for name, elo, error in zip(rating.players, rating.elo, rating.error95, strict=True)
            ]
    return tuple(moments)
