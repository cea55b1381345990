"""The state of a run while it is played, for whoever watches it."""

import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from db.records.pairs import (
    PairPlan,
    PairRecord,
)
from engine.result import Termination
from ladder.runs.settings import Settings

SPEED_WINDOW_S = 120.0
"""Games an hour are counted over this many last seconds."""


class RunEnding(StrEnum):
    """Why a run stopped playing."""

    DONE = "done"
    """The games are played or the time is up."""
    STOPPED = "stopped"
    """Ctrl-C or SIGTERM."""


@dataclass(slots=True)
class Forfeits:
    """The games of a run that one bot lost by one kind of failure."""

    bot: str
    termination: Termination
    game: int
    """The id of the first of them."""
    cause: str
    """Of the first, in words."""
    games: int = 0


@dataclass(slots=True)
class LiveBot:
    """One bot's row in the live table: counts of the run, live rating of its division.

    The counts include the games of interrupted sessions.
    """

    name: str
    elo: float
    elo_at_start: float
    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    forfeits: int = 0
    paused: bool = False

    @property
    def change(self) -> float:
        """Elo won in this session."""
        return self.elo - self.elo_at_start


@dataclass(slots=True)
class LiveRun:
    """The state of a run for its watcher. Changed by the runner only."""

    run_id: int
    seed: int
    title: str
    target_games: int | None
    games_before: int
    """Games of this run that an interrupted session had finished."""
    bots: dict[str, LiveBot]
    is_rated: bool = True
    """Whether the games move the live ratings."""
    workers: int = 1
    """Pairs that are really in play at the same time."""
    started: float = field(default_factory=time.monotonic)
    games: int = 0
    """Finished games of this session."""
    aborted_games: int = 0
    """How often a move was asked, or a pair played, again because the machine stalled."""
    deadline: float | None = None
    """Monotonic time at which the run ends."""
    progress: str = ""
    """How near a decision is, in words, when the run ends by one."""
    games_left: float | None = None
    """Until the decision, roughly; None: there is none, or it cannot be told."""
    estimate: Mapping[str, float] = field(default_factory=dict)
    """The values that a tuning has come to, by parameter."""
    ending: RunEnding | None = None
    """Why it stopped playing; None while it plays, and after an error."""
    playing: Mapping[Any, PairPlan] = field(default_factory=dict)
    forfeits: dict[tuple[str, Termination], Forfeits] = field(default_factory=dict)
    """By bot and kind, those of interrupted sessions included."""
    warnings: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    """Why bots play no more that no machine can host, by name."""
    _recent: deque[tuple[float, int]] = field(default_factory=deque)

    @property
    def total_games(self) -> int:
        """Finished games of the run, those of interrupted sessions included."""
        return self.games_before + self.games

    def count_results(self, bot: str, *, wins: int, draws: int, losses: int) -> None:
        """Add finished games to a bot's row."""
        row = self.bots[bot]
        row.games += wins + draws + losses
        row.wins += wins
        row.draws += draws
        row.losses += losses

    def count_forfeits(
        self, bot: str, termination: Termination, *, games: int, game: int, cause: str
    ) -> Forfeits:
        """Add lost games to a bot's forfeits of one kind; the sum."""
        self.bots[bot].forfeits += games
        first = Forfeits(bot, termination, game, cause)
        known = self.forfeits.setdefault((bot, termination), first)
        known.games += games
        return known

    def count(self, games: int) -> None:
        """Note that games were finished now."""
        self.games += games
        now = time.monotonic()
        self._recent.append((now, self.games))
        while now - self._recent[0][0] > SPEED_WINDOW_S:
            self._recent.popleft()

    def games_an_hour(self) -> float | None:
        """The speed over the last two minutes; None before anything is finished."""
        if not self.games:
            return None
        now = time.monotonic()
        if now - self.started <= SPEED_WINDOW_S or len(self._recent) < 2:
            return self.games / max(now - self.started, 1e-9) * 3600
        first, count = self._recent[0]
        return (self.games - count) / max(now - first, 1e-9) * 3600

    def seconds_left(self) -> float | None:
        """Until the games are played or the time is up; None when there is no limit or speed."""
        left = [] if self.deadline is None else [max(0.0, self.deadline - time.monotonic())]
        speed = self.games_an_hour()
        if self.target_games is not None and speed:
            left.append((self.target_games - self.total_games) / speed * 3600)
        if self.games_left is not None and speed:
            left.append(self.games_left / speed * 3600)
        return min(left, default=None)


class Watcher(Protocol):
    """Shows a run to somebody."""

    def started(self, live: LiveRun) -> None:
        """The run begins."""

    def pair_finished(self, live: LiveRun, record: PairRecord) -> None:
        """A pair was stored."""

    def tick(self, live: LiveRun) -> None:
        """Some time has passed, at most a quarter of a second."""

    def notified(self, live: LiveRun, sentence: str) -> None:
        """Something happened that nobody has to look at, such as a machine that joined."""

    def warned(self, live: LiveRun, sentence: str) -> None:
        """Something happened that the user should know."""

    def ended(self, live: LiveRun) -> None:
        """Nothing more will be played."""


class NullWatcher:
    """A watcher that shows nothing."""

    def started(self, live: LiveRun) -> None:
        """Nothing."""

    def pair_finished(self, live: LiveRun, record: PairRecord) -> None:
        """Nothing."""

    def tick(self, live: LiveRun) -> None:
        """Nothing."""

    def notified(self, live: LiveRun, sentence: str) -> None:
        """Nothing."""

    def warned(self, live: LiveRun, sentence: str) -> None:
        """Nothing."""

    def ended(self, live: LiveRun) -> None:
        """Nothing."""


def title_of(settings: Settings) -> str:
    """The conditions in a line, such as ``thu, 100 ms a move, random pairs``."""
    boards: Sequence[str] = [str(board) for board in settings.boards]
    plies = settings.resolved_opening
    opening = "" if not plies else f", openings of {plies} plies"
    return f"{', '.join(boards)}{opening}, {settings.budgets} a move, {settings.pairing} pairs"
