"""Rating the bots of the stored aggregate. Pure functions."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from db.records.aggregate import HistorySlice, PairTableRow
from db.records.record import Record
from ladder.errors import UsageError
from ladder.results.standings.notes import Misfit, NotConnected, Note, Shutouts
from ladder.stats.own_rating import Rating
from ladder.stats.pool.cells import from_named_tables
from ladder.stats.pool.goodness import DOUBT, check
from ladder.stats.pool.rating import PRIOR, Pool, PoolRating, RatingOptions, rate_connected


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
    named = (((row.a_name, row.b_name, row.board_class), row.record) for row in tables)
    return rate_records(list(named), options)


def rate_records(
    named: Sequence[tuple[tuple[str, str, str], Record]], options: RatingOptions | None = None
) -> Pool | None:
    """Rate the largest group of bots that records of A, B and board class connect.

    Raises:
        UsageError: an anchor is not a rated bot.

    """
    if not named:
        return None
    cells = from_named_tables((*names, record.grid) for names, record in named)
    records = [record for _, record in named]
    repeats = np.array([each.pairs / (each.distinct or each.pairs) for each in records])
    return rate_connected(cells=replace(cells, repeats=repeats), options=options)


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


@dataclass(frozen=True, slots=True)
class RatedMoment:
    """A bot's list rating after a number of games."""

    bot: str
    games: int
    """Games of the whole division until then."""
    time: float
    """Start of the latest of them, in seconds since the epoch."""
    rating: Rating


def rating_history(
    slices: Sequence[HistorySlice], current: Collection[int], options: RatingOptions | None = None
) -> tuple[RatedMoment, ...]:
    """Rate the bots of the largest connected group after each slice.

    Args:
        slices: slices from `store.aggregate.slices`, oldest first.
        current: revisions that the rating list counts.
        options: rating options; anchors apply as soon as all of them are rated.

    """
    records: dict[tuple[str, str, str], Record] = {}
    moments: list[RatedMoment] = []
    games = 0
    for part in slices:
        for row in part.tables:
            if row.a_revision in current and row.b_revision in current:
                key = (row.a_name, row.b_name, row.board_class)
                records[key] = records.get(key, Record()) + row.record
                games += row.record.games
        if records:
            cells = from_named_tables((*names, each.grid) for names, each in records.items())
            rating = rate_connected(cells=cells, options=options, may_lack_anchors=True).rating
            moments += [
                RatedMoment(name, games, part.until, rating.rating(place))
                for place, name in enumerate(rating.players)
            ]
    return tuple(moments)


ELO_LIMIT = 100_000.0
"""Greatest distance from 0 of a rating in an option."""


def parse_anchors(texts: Iterable[str]) -> dict[str, float]:
    """Return fixed ratings in Elo by name from texts ``NAME=ELO``.

    Raises:
        UsageError: a text has another form, a name is repeated, or a rating is out of range.

    """
    anchors: dict[str, float] = {}
    for text in texts:
        name, equals, elo = text.rpartition("=")
        if not (name and equals):
            raise UsageError(f"write NAME=ELO, got {text!r}", "anchor")
        if name in anchors:
            raise UsageError(f"{name!r} is named twice: give each bot one rating", "anchor")
        anchors[name] = parse_elo("anchor", elo)
    return anchors


def parse_elo(option: str, text: str, wanted: str = "an Elo") -> float:
    """Return the Elo in an option's text; the error names what is `wanted`.

    Raises:
        UsageError: the text is not a number, or out of range.

    """
    try:
        elo = float(text)
    except ValueError:
        elo = float("nan")
    if not abs(elo) <= ELO_LIMIT:
        raise UsageError(f"it must be {wanted} within ±{ELO_LIMIT:g}, got {text!r}", option)
    return elo


def rating_options(
    *,
    anchors: Iterable[str] = (),
    mean: float | None = None,
    prior: float = PRIOR,
    advantage: str = "fit",
) -> RatingOptions:
    """Return rating options from the texts of a command line.

    Raises:
        UsageError: a text has another form, or two options contradict each other.

    """
    fixed = parse_anchors(anchors)
    if fixed and mean is not None:
        raise UsageError("it cannot be combined with an anchor: give one of them", "mean")
    edge = None
    if advantage != "fit":
        edge = parse_elo("first_mover_advantage", advantage, "fit or an Elo")
    return RatingOptions(mean=mean, anchors=fixed, prior=prior, advantage=edge)
