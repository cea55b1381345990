"""The rating list of a division: from the stored aggregate to the pool rating. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from db.records.aggregate import PairTableRow
from ladder.results.standings.anchors import anchored
from ladder.stats.pool.cells import (
    Cells,
    from_tables,
    groups,
)
from ladder.stats.pool.goodness import DOUBT, Goodness, check
from ladder.stats.pool.rating import PoolRating, rate_pool


@dataclass(frozen=True)
class Pool:
    """The largest group of bots that games connect, rated together."""

    rating: PoolRating
    notes: Sequence[str]
    """Sentences to read before trusting the numbers."""

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The index of every rated bot in the arrays of `rating`, by name."""
        return {name: place for place, name in enumerate(self.rating.players)}


def pool_of(
    tables: Sequence[PairTableRow], anchors: Mapping[str, float] | None = None
) -> Pool | None:
    """Rate all bots by maximum likelihood, or the largest group that games connect.

    The mean of the rated bots is 1000 Elo unless some are anchored. None without games.

    Args:
        tables: the aggregate.
        anchors: fixed ratings in Elo by name.

    Raises:
        UsageError: an anchor names no bot that is rated.

    """
    players = sorted({name for row in tables for name in (row.a_name, row.b_name)})
    classes = sorted({row.board_class for row in tables})
    kept, notes = list(tables), []
    if not kept:
        return None
    connected = groups(cells=_cells(players, classes, kept))
    if len(connected) > 1:
        players = sorted(connected[0])
        kept = [row for row in kept if row.a_name in connected[0]]
        others = ", ".join(name for group in connected[1:] for name in group)
        notes.append(f"no games connect {others} with the others yet: not rated")
    cells = _cells(players, classes, kept)
    rating = rate_pool(cells=cells, options=anchored(anchors))
    notes += shutouts(rating)
    notes += doubts(check(cells=cells, fit=rating.fit))
    return Pool(rating, notes)


def shutouts(rating: PoolRating) -> list[str]:
    """Which bots won or lost everything, and the bound that their games set; empty without any."""
    found = []
    for word, limit, bounds in (
        ("won", "at least", rating.at_least),
        ("lost", "at most", rating.at_most),
    ):
        named = [
            f"{name} ({limit} {bound:.0f} Elo)"
            for name, bound in zip(rating.players, bounds, strict=True)
            if bound is not None
        ]
        if named:
            found.append(f"{word} every game: {', '.join(named)}, 95 % sure")
    return found


def doubts(fit: Goodness) -> list[str]:
    """Reasons not to describe the games by one number per bot; empty when there are none."""
    if fit.describes:
        return []
    found = []
    if fit.p is not None and fit.p < DOUBT and fit.worst:
        pair = fit.worst[0]
        found.append(
            "one number per bot does not describe these games (chance "
            f"{chance_text(fit.p)} if it did): the largest surprise is {pair.a} against {pair.b}, "
            f"{pair.points:g} points of {pair.games:g} where the list expects {pair.expected:.1f}"
        )
    if fit.cycle_p is not None and fit.cycle_p < DOUBT and fit.cycles:
        cycle = fit.cycles[0]
        found.append(
            f"the games go in a circle (chance {chance_text(fit.cycle_p)} if none did): "
            f"{' beats '.join((*cycle.players, cycle.players[0]))} by more than any list can say"
        )
    return found


def chance_text(p: float) -> str:
    """A small probability in words."""
    return f"{p:.1%}" if p >= 0.001 else "below 0.1%"


def _cells(players: Sequence[str], classes: Sequence[str], tables: Sequence[PairTableRow]) -> Cells:
    index = {name: place for place, name in enumerate(players)}
    return from_tables(
        players=players,
        a=[index[row.a_name] for row in tables],
        b=[index[row.b_name] for row in tables],
        counts=[row.counts for row in tables],
        board_class=[classes.index(row.board_class) for row in tables],
        classes=classes,
    )
