"""The state of a run while it is played, and the interface of its watchers.

It is read from the database at the start, and then updated pair by pair.
"""

import math
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from db.records.pairs import Entrant, PairPlan, PairRecord, PlayedPair
from db.records.record import Record, Wdl
from db.records.runs import RunKind, RunRow
from db.store import Store
from engine.result import Termination
from ladder.match.process.failures import to_one_line
from ladder.runs.history import run_title
from ladder.runs.settings import RunSettings
from ladder.stats.pool.cells import from_named_tables
from ladder.stats.pool.rating import rate_connected

REFIT_S = 0.5
"""Shortest interval between two fits of the ratings."""
SPEED_WINDOW_S = 120.0
"""Seconds before the end of the latest game over which the speed is measured."""


class RunEnding(StrEnum):
    """The reason for which a run ended."""

    DONE = "done"
    """The games are played, the judge has decided, or the time is up."""
    STOPPED = "stopped"
    """Ctrl-C or SIGTERM came."""


@dataclass(slots=True)
class Forfeits:
    """The games of a run that a bot lost by one kind of failure."""

    bot: str
    termination: Termination
    game: int
    """The id of the first game."""
    cause: str
    """The cause in the first game, in words."""
    games: int = 0


@dataclass(slots=True)
class LiveBot:
    """A bot's row in the live table: its rating, and counts over all sessions of the run."""

    name: str
    elo: float | None = None
    """List rating by the games of the run; None without games, or in an unrated run."""
    results: Wdl = Wdl()  # noqa: RUF009 - it is frozen
    forfeits: int = 0


@dataclass(slots=True)
class LiveRun:
    """A run as its watcher shows it; nothing else is decided by it."""

    run_id: int
    seed: int
    title: str
    target_games: int | None
    games_before: int
    """Finished games of interrupted sessions."""
    bots: dict[str, LiveBot]
    is_rated: bool = True
    """Whether the games count in the rating list."""
    first: str | None = None
    """The bot from whose side an unrated run is shown: a gate's candidate, the A of a match."""
    records: dict[tuple[str, str, str], Record] = field(default_factory=dict)
    """Pairs, those of interrupted sessions included, by the names of A and B and the board
    class."""
    workers: int = 1
    """Pairs that are played at the same time."""
    started: float = field(default_factory=time.monotonic)
    games: int = 0
    """Finished games of this session."""
    stalls: int = 0
    """As in `PairRecord`, those of interrupted sessions included."""
    deadline: float | None = None
    """Monotonic time at which the run ends."""
    paused: Mapping[str, str] = field(default_factory=dict)
    """Why a bot no longer plays in this run, by name."""
    progress: str = ""
    """The progress towards a decision, in words; empty if the run needs none."""
    games_left: float | None = None
    """Estimated games until the decision; None if unknown."""
    ending: RunEnding | None = None
    """The reason of the end; None while the run plays, and after an error."""
    playing: Mapping[Any, PairPlan] = field(default_factory=dict)
    forfeits: dict[tuple[str, Termination], Forfeits] = field(default_factory=dict)
    """Forfeits by bot and kind, those of interrupted sessions included."""
    warnings: list[str] = field(default_factory=list)
    fitted_at: float = -math.inf
    """Monotonic time of the last fit of the bots' ratings."""
    _recent: deque[tuple[float, int]] = field(default_factory=deque)

    @property
    def total_games(self) -> int:
        """Finished games of the run, those of interrupted sessions included."""
        return self.games_before + self.games

    def add_results(self, a: str, b: str, board_class: str, record: Record) -> None:
        """Add pairs of A against B."""
        key = (a, b, board_class)
        self.records[key] = self.records.get(key, Record()) + record
        self.bots[a].results = self.bots[a].results.plus(record.wdl)
        self.bots[b].results = self.bots[b].results.plus(record.wdl.mirrored)

    def add_forfeits(
        self, bot: str, termination: Termination, *, games: int, game: int, cause: str
    ) -> Forfeits:
        """Add lost games to a bot's forfeits of one kind; return the sum."""
        self.bots[bot].forfeits += games
        first = Forfeits(bot, termination, game, cause)
        known = self.forfeits.setdefault((bot, termination), first)
        known.games += games
        return known

    def count(self, games: int) -> None:
        """Count games that were finished now."""
        self.games += games
        now = time.monotonic()
        self._recent.append((now, self.games))
        while now - self._recent[0][0] > SPEED_WINDOW_S:
            self._recent.popleft()

    def games_an_hour(self) -> float | None:
        """Return the speed up to the end of the latest game; None before the first one ends.

        The time since then belongs to pairs in play, which are not counted.
        """
        if not self.games:
            return None
        first, count = self._recent[0]
        last = self._recent[-1][0]
        if last - self.started <= SPEED_WINDOW_S or len(self._recent) < 2:
            first, count = self.started, 0
        return (self.games - count) / max(last - first, 1e-9) * 3600

    def seconds_left(self) -> float | None:
        """Return the estimated seconds until the run ends; None if unknown."""
        left = [] if self.deadline is None else [max(0.0, self.deadline - time.monotonic())]
        speed = self.games_an_hour()
        if speed:
            # Pairs in play have made progress since then, but at most all of their games.
            since_s = time.monotonic() - self._recent[-1][0]
            in_play = 2 * min(self.workers, len(self.playing))
            done = min(since_s * speed / 3600, in_play)
            target = None if self.target_games is None else self.target_games - self.total_games
            games = [each for each in (target, self.games_left) if each is not None]
            left += [max(0.0, each - done) / speed * 3600 for each in games]
        return min(left, default=None)


class RunWatcher(Protocol):
    """Shows a run while it is played."""

    def started(self, live: LiveRun) -> None:
        """Handle the start of the run."""

    def pair_finished(self, live: LiveRun, record: PairRecord) -> None:
        """Handle a pair that was stored."""

    def tick(self, live: LiveRun) -> None:
        """Refresh the display; called at least four times a second."""

    def notified(self, live: LiveRun, sentence: str) -> None:
        """Show an event that needs no attention, such as a machine that joined."""

    def warned(self, live: LiveRun, sentence: str) -> None:
        """Show a warning."""

    def ended(self, live: LiveRun) -> None:
        """Handle the end of the run."""


class NullWatcher:
    """A watcher that shows nothing."""

    def _ignore(self, *_: Any) -> None:
        pass

    started = pair_finished = tick = notified = warned = ended = _ignore


def live_run_of(
    store: Store, run: RunRow, settings: RunSettings, entrants: Mapping[str, Entrant]
) -> LiveRun:
    """Return the state of a run, the games of its interrupted sessions included."""
    live = LiveRun(
        run_id=run.id,
        seed=run.seed,
        title=run_title(
            run.settings, "", {name: (bot.budget.kind,) for name, bot in entrants.items()}
        ),
        target_games=settings.target_games,
        games_before=store.games.count(run.id),
        stalls=store.games.count_stalls(run_id=run.id).get(run.id, 0),
        bots={name: LiveBot(name) for name in entrants},
        is_rated=run.rated,
        first=settings.pairing.candidate
        or (settings.bots[0] if settings.kind is RunKind.MATCH else None),
    )
    names = {entrant.revision: name for name, entrant in entrants.items()}
    for row in store.aggregate.of_run(run.id):
        live.add_results(names[row.a_revision], names[row.b_revision], row.board_class, row.record)
    for one in store.games.forfeits(run.id):
        bot = names[one.revision]
        live.add_forfeits(bot, one.termination, games=one.games, game=one.game, cause=one.detail)
    return live


def count_pair(
    live: LiveRun,
    plan: PairPlan,
    pair: PlayedPair,
    record: PairRecord,
    finished: tuple[int, ...],
) -> Iterator[str]:
    """Count a stored pair; yield a warning for each bot's first forfeit of each kind."""
    live.add_results(plan.a.name, plan.b.name, pair.board_class, pair.record)
    for forfeit in pair.forfeits:
        entrant = (plan.a, plan.b)[forfeit.side]
        game_id = (finished or (0, 0))[forfeit.game]
        cause = to_one_line(record.games[forfeit.game].detail)
        forfeits = live.add_forfeits(
            entrant.name, forfeit.termination, games=1, game=game_id, cause=cause
        )
        if forfeits.games == 1:
            which = f"game {game_id}" if game_id else "a game"
            player = "" if game_id or entrant.player is None else f" (`{entrant.player}`)"
            name = entrant.name if game_id else f"setting {entrant.name}"
            yield f"{name} lost {which} by {forfeit.termination.noun}: {cause}{player}"
    live.count(len(record.games))


def refit(live: LiveRun) -> None:
    """Fit the list rating of a rated run's bots to its counts, unless that was done just now."""
    if not live.is_rated or not live.records or time.monotonic() - live.fitted_at < REFIT_S:
        return
    tables = ((*key, record.grid) for key, record in live.records.items())
    rating = rate_connected(cells=from_named_tables(tables)).rating
    for name, elo in zip(rating.players, rating.elo.tolist(), strict=True):
        live.bots[name].elo = elo
    live.fitted_at = time.monotonic()
