"""The rating list of a division: from the stored aggregate to the pool rating. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from db.records.aggregate import PairTableRow
from ladder.ratings.cells import (
    Cells,
    from_tables,
    groups,
)
from ladder.ratings.goodness import DOUBT, Goodness, check
from ladder.ratings.pool import PoolRating, rate


@dataclass(frozen=True, slots=True)
class RatedList:
    """The pool rating of those bots that games connect, in Elo."""

    elo: Mapping[str, float]
    error95: Mapping[str, float]
    first_mover_elo: Mapping[str, float]
    """By board class."""
    notes: Sequence[str]


@dataclass(frozen=True, slots=True)
class Pool:
    """The largest group of bots that games connect, rated together."""

    rating: PoolRating
    notes: Sequence[str]


def pool_of(tables: Sequence[PairTableRow]) -> Pool | None:
    """Rate all bots by maximum likelihood, or the largest group that games connect.

    The mean of the rated bots is 1000 Elo. None without games.
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
    rating = rate(cells=cells)
    shutouts = [
        name for name, bounded in zip(players, rating.bounded.tolist(), strict=True) if bounded
    ]
    if shutouts:
        notes.append(
            f"{', '.join(shutouts)} won all games or none: the rating is a bound set by one "
            "virtual draw against the mean"
        )
    notes += doubts(check(cells=cells))
    return Pool(rating, notes)


def doubts(fit: Goodness) -> list[str]:
    """What speaks against describing the games by one number per bot; empty when nothing does."""
    if fit.describes:
        return []
    found = []
    if fit.p is not None and fit.p < DOUBT and fit.worst:
        pair = fit.worst[0]
        found.append(
            "one number per bot does not describe these games (chance "
            f"{_chance(fit.p)} if it did): the largest surprise is {pair.a} against {pair.b}, "
            f"{pair.points:g} points of {pair.games:g} where the list expects {pair.expected:.1f}"
        )
    if fit.cycle_p is not None and fit.cycle_p < DOUBT and fit.cycles:
        cycle = fit.cycles[0]
        found.append(
            f"the games go in a circle (chance {_chance(fit.cycle_p)} if none did): "
            f"{' beats '.join((*cycle.players, cycle.players[0]))} by more than any list can say"
        )
    return found


def _chance(p: float) -> str:
    return f"{p:.1%}" if p >= 0.001 else "below 0.1%"


def rate_list(tables: Sequence[PairTableRow]) -> RatedList:
    """The same as plain numbers by name."""
    pool = pool_of(tables)
    if pool is None:
        return RatedList({}, {}, {}, [])
    rating = pool.rating
    return RatedList(
        elo=dict(zip(rating.players, rating.elo.tolist(), strict=True)),
        error95=dict(zip(rating.players, rating.error95.tolist(), strict=True)),
        first_mover_elo=dict(zip(rating.classes, rating.advantage.tolist(), strict=True)),
        notes=pool.notes,
    )


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
