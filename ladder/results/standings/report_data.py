"""The data of a division's HTML report."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from db.records.bots import BotRow
from db.records.budget import move_limit_ms
from db.records.games import GameQuery, GameRow, Thought
from db.records.runs import DivisionRow, RunRow
from db.store import Store
from ladder.results.standings.division import (
    DivisionGames,
    standings_of_division,
    upset_pairs,
)
from ladder.results.standings.head_to_head import (
    ClassScores,
    ListedPairing,
    scores_by_class,
    summarize_pairings,
)
from ladder.results.standings.lineage import Step, find_steps
from ladder.results.standings.pool import RatedMoment, rating_history
from ladder.results.standings.standings import Standings, select_bots
from ladder.stats.pool.rating import RatingOptions


@dataclass(frozen=True, slots=True)
class MoveTimes:
    """One bot's milliseconds per move in a sample of games."""

    bot: str
    moves: int
    low: float
    """The 1 % quantile."""
    quarter: float
    median: float
    three_quarters: float
    """The 75 % quantile."""
    high: float
    """The 99 % quantile."""
    late: int
    """Moves over the budget but within the margin; those beyond it are forfeits."""
    wall_ms: float | None
    """Mean wall time of moves with measured processor time; None without any."""
    cpu_ms: float | None
    """Mean processor time of the same moves."""

    @property
    def cpu_share(self) -> float | None:
        """Ratio of processor time to wall time; None if not measured."""
        return self.cpu_ms / self.wall_ms if self.cpu_ms is not None and self.wall_ms else None


def move_times(games: Sequence[GameRow], budget: Mapping[str, int]) -> list[MoveTimes]:
    """Return the move times of each bot in some games, by the bots' names.

    Args:
        games: games with their thoughts.
        budget: the division's budget; under a work budget no move is late.

    """
    thoughts: defaultdict[str, list[Thought]] = defaultdict(list)
    for game in games:
        for at, thought in enumerate(game.thoughts):
            thoughts[(game.first, game.second)[(game.opening_plies + at) % 2]].append(thought)
    return [
        _summary(name, own, move_limit_ms(budget, name)) for name, own in sorted(thoughts.items())
    ]


def _summary(name: str, thoughts: Sequence[Thought], limit_ms: float | None) -> MoveTimes:
    times = np.array([thought.time_us for thought in thoughts]) / 1000
    shares = (0.01, 0.25, 0.5, 0.75, 0.99)
    low, quarter, median, more, high = np.quantile(times, shares, method="higher").tolist()
    clocks = [(one.time_us, one.cpu_us) for one in thoughts if one.cpu_us is not None]
    wall_ms, cpu_ms = (np.mean(clocks, axis=0) / 1000).tolist() if clocks else (None, None)
    late = 0 if limit_ms is None else int((times > limit_ms).sum())
    return MoveTimes(name, len(times), low, quarter, median, more, high, late, wall_ms, cpu_ms)


LARGE_SWING = 0.5
"""Least change of a bot's value between two moves that counts as a swing."""


class Reason(StrEnum):
    """Why a game is shown."""

    FORFEIT = "forfeit"
    UPSET = "upset"
    SHORT = "short"
    SWING = "swing"
    LATEST = "latest"


@dataclass(frozen=True, slots=True)
class ShownGame:
    """A game with its thoughts, and the reason to show it."""

    game: GameRow
    reason: Reason


def choose_games(
    store: Store,
    division: DivisionRow,
    elo: Mapping[int, float],
    wanted: GameQuery,
    number: int,
    recent: Sequence[GameRow],
) -> list[ShownGame]:
    """Choose all forfeits, then upsets, short games and swings, a quarter each, then the latest.

    Args:
        store: the open database.
        division: the division of the games.
        elo: its ratings by revision.
        wanted: the games that may be shown.
        number: maximum number of games.
        recent: the latest of them with their thoughts, to search for swings.

    """
    chosen: dict[int, Reason] = {}

    def take(ids: Iterable[int], reason: Reason, most: int) -> None:
        for game_id in ids:
            if most < 1 or len(chosen) >= number:
                return
            if game_id not in chosen:
                chosen[game_id] = reason
                most -= 1

    forfeits = store.games.newest(replace(wanted, forfeit=True), number)
    take((game.id for game in forfeits), Reason.FORFEIT, number)
    part = max((number - len(chosen)) // 4, 1)
    upsets = replace(wanted, won_by={division.id: upset_pairs(elo)})
    take((game.id for game in store.games.newest(upsets, 2 * part)), Reason.UPSET, part)
    take(store.games.shortest(wanted, 4 * part), Reason.SHORT, part)
    swings = sorted(((largest_swing(game), game.id) for game in recent), reverse=True)
    take((game_id for size, game_id in swings if size > LARGE_SWING), Reason.SWING, part)
    take((game.id for game in recent), Reason.LATEST, number)
    return read_shown_games(store, chosen, recent)


def read_shown_games(
    store: Store, chosen: Mapping[int, Reason], known: Sequence[GameRow] = ()
) -> list[ShownGame]:
    """Return the chosen games in their order; read only those that are not `known`."""
    games = {game.id: game for game in known}
    games |= {game.id: game for game in store.games.get_many(set(chosen) - set(games))}
    return [ShownGame(games[key], reason) for key, reason in chosen.items() if key in games]


def largest_swing(game: GameRow) -> float:
    """Return the largest change of a bot's value between two of its moves, 0..2."""
    last: dict[int, float] = {}
    largest = 0.0
    for at, thought in enumerate(game.thoughts):
        side = (game.opening_plies + at) % 2
        if thought.value is not None:
            if side in last:
                largest = max(largest, abs(thought.value - last[side]))
            last[side] = thought.value
    return largest


LATEST_READ = 1000
"""Number of latest games to read for swings and move times."""


@dataclass(frozen=True, slots=True)
class ReportData:
    """What the report of a division shows."""

    division: DivisionRow
    standings: Standings
    """Standings of the shown bots."""
    bots: Mapping[str, BotRow]
    """All registered bots by name."""
    steps: Sequence[Step]
    history: Sequence[RatedMoment]
    pairings: Sequence[ListedPairing]
    """Results of every two bots, both ways round."""
    classes: Sequence[ClassScores]
    move_times: Sequence[MoveTimes]
    games: Sequence[ShownGame]
    runs: Sequence[RunRow]
    """The division's rated runs, latest first."""
    first_game: float | None
    """Start of the earliest rated game in seconds since the epoch."""
    last_game: float | None


def read_report_data(
    store: Store,
    read: DivisionGames,
    *,
    games: int = 200,
    options: RatingOptions | None = None,
    patterns: Sequence[str] = (),
    retired: bool = False,
) -> ReportData:
    """Read the data of a division's report.

    Args:
        store: the open database.
        read: the games of the division.
        games: number of games to show in full.
        options: rating options.
        patterns: names or shell patterns of the bots to show; empty for all.
        retired: whether to show retired bots.

    Raises:
        UsageError: an anchor or a pattern selects no bot of the list.

    """
    division, since, bots = read.division, read.since, read.bots
    all_bots = standings_of_division(store, read, options=options)
    standings = select_bots(all_bots, patterns=patterns, retired=retired)
    names = {bot.name for bot in standings.bots}
    pool = all_bots.pool
    ratings = {} if pool is None else pool.elo
    elo = {bots[name].revision.id: rating for name, rating in ratings.items()}
    slices = store.aggregate.slices(division.id, since=since)
    current = frozenset(bot.revision.id for bot in bots.values())
    shown = frozenset(bots[name].revision.id for name in names if name in bots)
    wanted = GameQuery(
        division_id=division.id, rated=True, among=current, including=shown, since=since
    )
    latest = store.games.newest(wanted, max(games, LATEST_READ))
    recent = store.games.get_many(game.id for game in latest)[::-1]
    return ReportData(
        division=division,
        standings=standings,
        bots=bots,
        steps=find_steps(pool, bots, names),
        history=[
            moment for moment in rating_history(slices, current, options) if moment.bot in names
        ],
        pairings=[
            pairing
            for pairing in summarize_pairings(read.tables, pool)
            if {pairing.met.a, pairing.met.b} <= names
        ],
        classes=scores_by_class(read.tables),
        move_times=[times for times in move_times(recent, division.budget) if times.bot in names],
        games=choose_games(store, division, elo, wanted, games, recent),
        runs=[run for run in store.runs.find() if run.division_id == division.id and run.rated],
        first_game=None if not slices else min(part.since for part in slices),
        last_game=None if not slices else max(part.until for part in slices),
    )
