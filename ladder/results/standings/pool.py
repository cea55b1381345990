"""Rating the bots of the stored aggregate. Pure functions."""

from collections.abc import Sequence

from db.records.aggregate import PairTableRow
from ladder.results.standings.notes import Misfit, NotConnected, Note, Shutouts
from ladder.stats.pool.cells import from_named_tables
from ladder.stats.pool.goodness import DOUBT, check
from ladder.stats.pool.rating import Pool, PoolRating, RatingOptions, rate_connected


def rate_tables(
    tables: Sequence[PairTableRow], options: RatingOptions | None = None
) -> Pool | None:
    """Rate the largest group of bots that games connect; None without games.

    Args:
        tables: the aggregate.
        options: rating options.

    Raises:
        UsageError: an anchor is not a rated bot.

    """
    if not tables:
        return None
    cells = from_named_tables(
        (row.a_name, row.b_name, row.board_class, row.counts) for row in tables
    )
    return rate_connected(cells=cells, options=options)


def pool_notes(pool: Pool) -> list[Note]:
    """Return notes on unrated bots, on bots that won or lost all games, and on the fit."""
    notes: list[Note] = [NotConnected(pool.left_out)] if pool.left_out else []
    for won, bounds in ((True, pool.rating.at_least), (False, pool.rating.at_most)):
        named = [
            (name, bound)
            for name, bound in zip(pool.rating.players, bounds, strict=True)
            if bound is not None
        ]
        if named:
            notes.append(Shutouts(won, named))
    return notes + _misfits(pool.rating)


def _misfits(rating: PoolRating) -> list[Note]:
    fit = check(cells=rating.cells, fit=rating.fit)
    if fit.p is None or fit.p >= DOUBT or not fit.worst:
        return []
    return [Misfit(fit.p, fit.worst[0])]
