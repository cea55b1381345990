"""Building standings from the stored aggregate. Pure functions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from db.records.aggregate import PairTableRow, SideTotals
from db.records.bots import BotRow
from db.records.budget import CLOCK, TIME, move_limit_ms, split_budget_key
from db.records.measures import MEASURES, measured
from db.records.record import Record, Wdl
from db.records.runs import DivisionRow
from engine.result import FORFEITS
from ladder.results.standings.head_to_head import heads_to_head
from ladder.results.standings.notes import DelayedMoves, NoRatedGames, Note, RepeatedGames
from ladder.results.standings.pool import pool_notes, rate_tables
from ladder.results.standings.standings import (
    BotStanding,
    ForfeitedGame,
    Standings,
)
from ladder.stats.own_rating import Rating
from ladder.stats.pool.rating import Pool, RatingOptions

DISTINCT_SHARE = 0.9
"""A smaller share of distinct games gives a note, and errors that count equal pairs once."""


@dataclass(slots=True)
class _BotSums:
    """Sums of one bot against all others."""

    revision: int
    results: Wdl = Wdl()  # noqa: RUF009 - it is frozen
    sides: list[SideTotals] = field(default_factory=list)


def build_standings(
    division: DivisionRow,
    tables: Sequence[PairTableRow],
    *,
    distinct_games: int,
    notes: Sequence[Note],
    stalls: int = 0,
    options: RatingOptions | None = None,
    registered: Mapping[str, BotRow] = MappingProxyType({}),
    forfeit_games: Mapping[int, Sequence[ForfeitedGame]] | None = None,
) -> Standings:
    """Return the standings of all bots in the aggregate, including retired ones.

    Args:
        division: the division of the games.
        tables: the aggregate, one row per two revisions and board class.
        distinct_games: number of games that differ in board or moves.
        notes: notes to put before those that the tables give.
        stalls: delays by the machine, late answers that counted and pairs played again.
        options: rating options.
        registered: the bots by name, as far as they are registered.
        forfeit_games: latest forfeits by revision, newest first.

    """
    bots = _sum_bots(tables)
    total = Record.total(row.record for row in tables)
    games = total.games
    pool = rate_tables(tables, options)
    elo = {} if pool is None else pool.elo
    ranked = sorted(bots, key=lambda name: (-elo.get(name, -math.inf), name))
    return Standings(
        division=division,
        games=games,
        distinct_games=distinct_games,
        first_mover_score=total.first_mover.score,
        draw_rate=total.wdl.draws / games if games else None,
        ranked=len(bots),
        bots=[
            _bot_standing(
                name,
                rank,
                bots[name],
                pool,
                limit_ms=move_limit_ms(division.budget, name),
                row=registered.get(name),
                forfeit_games=(forfeit_games or {}).get(bots[name].revision, ()),
            )
            for rank, name in enumerate(ranked, start=1)
        ],
        pairs_table=heads_to_head(tables),
        pool=pool,
        notes=[
            *notes,
            *([] if pool is None else pool_notes(pool)),
            *_count_notes(games, distinct_games, stalls, division.budget),
        ],
        stalls=stalls,
    )


def _sum_bots(tables: Sequence[PairTableRow]) -> dict[str, _BotSums]:
    """Return each bot's sums over all opponents and board classes."""
    bots: dict[str, _BotSums] = {}
    for row in tables:
        wdl = row.record.wdl
        for name, revision, own, side in (
            (row.a_name, row.a_revision, wdl, row.a),
            (row.b_name, row.b_revision, wdl.mirrored, row.b),
        ):
            sums = bots.setdefault(name, _BotSums(revision))
            sums.results = sums.results.plus(own)
            sums.sides.append(side)
    return bots


def is_repetitive(tables: Sequence[PairTableRow], distinct_games: int) -> bool:
    """Return whether so many games are repeated that errors must count equal pairs once."""
    return distinct_games < DISTINCT_SHARE * 2 * sum(row.record.pairs for row in tables)


def _count_notes(games: int, distinct: int, stalls: int, budget: Mapping[str, int]) -> list[Note]:
    notes: list[Note] = []
    if not games:
        notes.append(NoRatedGames())
    elif distinct < DISTINCT_SHARE * games:
        notes.append(RepeatedGames(distinct, games))
    if stalls:
        is_timed = not {TIME, CLOCK}.isdisjoint(split_budget_key(key)[0] for key in budget)
        notes.append(DelayedMoves(stalls, stalls / (games + stalls), is_timed))
    return notes


def _counts_nodes(budgets: Sequence[str]) -> bool:
    """Return whether a bot's work is nodes, by the budget kinds that it supports."""
    return "nodes" in budgets and "simulations" not in budgets


def _bot_standing(
    name: str,
    rank: int,
    sums: _BotSums,
    pool: Pool | None,
    *,
    limit_ms: int | None,
    row: BotRow | None,
    forfeit_games: Sequence[ForfeitedGame],
) -> BotStanding:
    """Return one row of the list; `limit_ms` is the bot's time per move, if it has one."""
    measures = measured(side.sums for side in sums.sides)
    mean_ms = measures["mean_move_ms"]
    reasons = {}
    place = None if pool is None else pool.places.get(name)
    if pool is None or place is None:
        rating = Rating()
        reasons["elo"] = reasons["error95"] = "no games connect it with most of the other bots"
    else:
        rating = pool.rating.rating(place)
    reasons |= {each.key: each.missing for each in MEASURES if measures[each.key] is None}
    return BotStanding(
        name=name,
        rank=rank,
        rating=rating,
        results=sums.results,
        forfeits={
            kind.value: sum(side.failures.get(kind.value, 0) for side in sums.sides)
            for kind in FORFEITS
        },
        measures=measures,
        reasons=reasons,
        over_budget=limit_ms is not None and mean_ms is not None and mean_ms > limit_ms,
        retired=row is not None and row.retired_at is not None,
        counts_nodes=row is not None and _counts_nodes(row.revision.budgets),
        forfeit_games=forfeit_games,
    )
