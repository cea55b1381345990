"""The rating list of a division: from the stored aggregate to the pool rating. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from db.rows import PairTableRow
from ladder.ratings.pool import PoolRating, rate
from ladder.ratings.tables import Cells, from_tables, groups


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
    rating = rate(cells=_cells(players, classes, kept))
    shutouts = [
        name for name, bounded in zip(players, rating.bounded.tolist(), strict=True) if bounded
    ]
    if shutouts:
        notes.append(
            f"{', '.join(shutouts)} won all games or none: the rating is a bound set by one "
            "virtual draw against the mean"
        )
    return Pool(rating, notes)


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
