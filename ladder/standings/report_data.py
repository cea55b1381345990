"""Everything that a page about a division shows, gathered from the store once."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from db.records.aggregate import PairTableRow
from db.records.bots import BotRow
from db.records.games import GameRow
from db.records.runs import DivisionRow, RunKind, RunRow
from db.store import Store
from ladder.ratings.elo import Z95, elo_to_score
from ladder.standings.division import current_tables
from ladder.standings.history import RatedMoment, rating_history
from ladder.standings.lineage import Step, steps_of
from ladder.standings.pool import Pool
from ladder.standings.standings import Standings, build_standings

SWINGS_AMONG = 1000
"""The largest swings are looked for among so many of the latest games: each is unpacked for it."""

LARGE_SWING = 0.5
"""Smaller changes of a bot's value from move to move are no swing."""


class Reason(StrEnum):
    """Why a game is among those shown."""

    FORFEIT = "forfeit"
    UPSET = "upset"
    SHORT = "short"
    SWING = "swing"
    LATEST = "latest"


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two bots' games with each other, from A's side."""

    a: str
    b: str
    wins: int
    draws: int
    losses: int
    score: float
    """Points per game."""
    error95: float
    """Half the 95 % interval of the score, with the pair as the unit."""
    z: float | None
    """Points above the list's expectation in standard errors; None where the list has none."""

    @property
    def games(self) -> int:
        """Games between the two."""
        return self.wins + self.draws + self.losses


@dataclass(frozen=True, slots=True)
class MoveTimes:
    """One bot's milliseconds a move in a sample of games."""

    bot: str
    moves: int
    low: float
    """1 % of the moves were quicker."""
    quarter: float
    median: float
    three: float
    """Three quarters of the moves were quicker."""
    high: float
    """1 % of the moves were slower."""
    cpu_share: float | None
    """Processor time over wall time; None where none was measured."""


@dataclass(frozen=True, slots=True)
class ShownGame:
    """A game with its thoughts, and why it is shown."""

    game: GameRow
    reason: Reason


@dataclass(frozen=True, slots=True)
class ReportData:
    """A division as a page shows it."""

    division: DivisionRow
    standings: Standings
    bots: Mapping[str, BotRow]
    """All registered bots by name."""
    steps: Sequence[Step]
    anchors: Mapping[str, float]
    """Fixed ratings in Elo by name."""
    history: Sequence[RatedMoment]
    pairings: Sequence[Pairing]
    """Both ways round."""
    move_times: Sequence[MoveTimes]
    games: Sequence[ShownGame]
    trials: Sequence[RunRow]
    """Gates and matches of the division, latest first."""
    first_game: float | None
    """Start of the earliest and the latest game shown, epoch seconds."""
    last_game: float | None


def gather(
    store: Store,
    division: DivisionRow,
    *,
    since: float | None = None,
    games: int = 200,
    anchors: Mapping[str, float] | None = None,
) -> ReportData:
    """Read all that a page needs; `since` (epoch seconds) leaves out older games.

    Args:
        store: the open database.
        division: whose games.
        since: only games that began then or later.
        games: how many games to show in full.
        anchors: fixed ratings in Elo by name.

    """
    tables, notes = current_tables(store, division, since=since)
    live = {row.revision: row.elo for row in store.aggregate.ratings(division.id)}
    stalled = store.games.count_aborts(division_id=division.id, since=since)
    standings = build_standings(
        division,
        tables,
        distinct_games=store.aggregate.count_distinct(tables, since=since),
        live=live,
        notes=notes,
        stalled_games=stalled,
        anchors=anchors,
    )
    bots = {bot.name: bot for bot in store.bots.all(include_retired=True)}
    pool = standings.pool
    slices = store.history.slices(division.id, since=since)
    latest = [store.games.get(number) for number in store.showcase.latest(
        division.id, since=since, number=max(games, SWINGS_AMONG))]  # fmt: skip
    recent = [game for game in latest if game is not None]
    current = {bot.revision.id for bot in bots.values()}
    return ReportData(
        division=division,
        standings=standings,
        bots=bots,
        steps=steps_of(pool, bots),
        anchors=anchors or {},
        history=rating_history(slices, current, anchors),
        pairings=_pairings(tables, pool),
        move_times=_move_times(recent),
        games=_choose(store, division, since, games, recent, _elo_by_revision(pool, bots), current),
        trials=[
            run
            for run in store.runs.find()
            if run.division_id == division.id and run.kind in (RunKind.GATE, RunKind.MATCH)
        ],
        first_game=None if not slices else min(part.since for part in slices),
        last_game=None if not slices else max(part.until for part in slices),
    )


def _elo_by_revision(pool: Pool | None, bots: Mapping[str, BotRow]) -> dict[int, float]:
    if pool is None:
        return {}
    rated = zip(pool.rating.players, pool.rating.elo.tolist(), strict=True)
    return {bots[name].revision.id: elo for name, elo in rated if name in bots}


@dataclass(slots=True)
class _Meeting:
    """Sums over all pairs of two bots, from A's side."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: int = 0
    squares: int = 0
    """Of half points above one point a pair."""
    expected: float | None = 0.0
    """Points that the list expects of A; None where it rates one of the two not."""


def _pairings(tables: Sequence[PairTableRow], pool: Pool | None) -> list[Pairing]:
    """Every two bots that met, both ways round."""
    meetings: dict[tuple[str, str], _Meeting] = {}
    for row in tables:
        met = meetings.setdefault((row.a_name, row.b_name), _Meeting())
        wins, draws, losses = row.wdl
        met.wins += wins
        met.draws += draws
        met.losses += losses
        met.pairs += row.pairs
        met.squares += sum(count * (half - 2) ** 2 for half, count in enumerate(row.pentanomial))
        expected = _expected(row, pool)
        if met.expected is not None:
            met.expected = None if expected is None else met.expected + expected
    return [
        pairing
        for (a, b), met in meetings.items()
        for pairing in (_pairing(a, b, met), _turned(_pairing(a, b, met)))
    ]


def _expected(row: PairTableRow, pool: Pool | None) -> float | None:
    """Points that the list expects of A in the games of a table."""
    players = () if pool is None else pool.rating.players
    if pool is None or row.a_name not in players or row.b_name not in players:
        return None
    rating = pool.rating
    gap = float(rating.elo[players.index(row.a_name)] - rating.elo[players.index(row.b_name)])
    edge = float(rating.advantage[rating.classes.index(row.board_class)])
    return row.pairs * (elo_to_score(elo=gap + edge) + elo_to_score(elo=gap - edge))


def _pairing(a: str, b: str, met: _Meeting) -> Pairing:
    games = 2 * met.pairs
    points = met.wins + met.draws / 2
    mean = 2 * points / met.pairs - 2
    variance = max(met.squares / met.pairs - mean**2, 0.0) / 4  # of a pair, in points squared
    spread = math.sqrt(max(variance * met.pairs, 0.25))
    z = None if met.expected is None else (points - met.expected) / spread
    return Pairing(a, b, met.wins, met.draws, met.losses, points / games, Z95 * spread / games, z)


def _turned(pairing: Pairing) -> Pairing:
    """From B's side."""
    return Pairing(
        pairing.b,
        pairing.a,
        pairing.losses,
        pairing.draws,
        pairing.wins,
        1.0 - pairing.score,
        pairing.error95,
        None if pairing.z is None else -pairing.z,
    )


def _move_times(games: Sequence[GameRow]) -> list[MoveTimes]:
    """Quantiles per bot of the moves in these games."""
    times: dict[str, list[int]] = {}
    measured: dict[str, list[int]] = {}
    for game in games:
        for at, thought in enumerate(game.thoughts):
            name = (game.first, game.second)[(game.opening_plies + at) % 2]
            times.setdefault(name, []).append(thought.time_us)
            if thought.cpu_us is not None:
                sums = measured.setdefault(name, [0, 0])
                sums[0] += thought.cpu_us
                sums[1] += thought.time_us
    found = []
    for name, values in sorted(times.items()):
        values.sort()
        low, quarter, median, three, high = (
            values[min(int(share * len(values)), len(values) - 1)] / 1000
            for share in (0.01, 0.25, 0.5, 0.75, 0.99)
        )
        cpu, wall = measured.get(name, (0, 0))
        share = cpu / wall if wall else None
        found.append(MoveTimes(name, len(values), low, quarter, median, three, high, share))
    return found


def swing(game: GameRow) -> float:
    """The largest change of a bot's own value from one of its moves to its next, 0..2."""
    last: dict[int, float] = {}
    largest = 0.0
    for at, thought in enumerate(game.thoughts):
        side = (game.opening_plies + at) % 2
        if thought.value is not None:
            if side in last:
                largest = max(largest, abs(thought.value - last[side]))
            last[side] = thought.value
    return largest


def _choose(
    store: Store,
    division: DivisionRow,
    since: float | None,
    number: int,
    recent: Sequence[GameRow],
    elo: Mapping[int, float],
    current: set[int],
) -> list[ShownGame]:
    """All forfeits; then upsets, short games and swings, a quarter each; then the latest."""
    known = {game.id: game for game in recent}
    chosen: dict[int, ShownGame] = {}

    def take(ids: Iterable[int], reason: Reason, most: int) -> None:
        for game_id in ids:
            if most < 1 or len(chosen) >= number:
                return
            game = known.get(game_id) or store.games.get(game_id)
            if game is None or game_id in chosen:
                continue
            if {game.first_revision, game.second_revision} <= current:
                chosen[game_id] = ShownGame(game, reason)
                most -= 1

    showcase, where = store.showcase, division.id
    take(showcase.forfeits(where, since=since, number=2 * number), Reason.FORFEIT, number)
    part = max((number - len(chosen)) // 4, 1)
    take(showcase.upsets(where, elo, since=since, number=2 * part), Reason.UPSET, part)
    take(showcase.shortest(where, since=since, number=4 * part), Reason.SHORT, part)
    swings = sorted(((swing(game), game.id) for game in recent), reverse=True)
    take((game_id for size, game_id in swings if size > LARGE_SWING), Reason.SWING, part)
    take((game.id for game in recent), Reason.LATEST, number)
    return list(chosen.values())
