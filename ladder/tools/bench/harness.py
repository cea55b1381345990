"""Speed of the harness: null games through the same runner, workers and database as real games."""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from db.records.bots import NewBot, NewRevision
from db.records.pairs import PairRecord
from db.store import Store
from engine.board_class import parse_board_classes
from ladder.errors import InvalidRun
from ladder.match.process.sandbox import BUILT_IN_ONLY
from ladder.registry.specs.spec import resolve_own_player
from ladder.registry.specs.start_command import builtin_launch
from ladder.runs.budgets import Budgets
from ladder.runs.lineup import line_up
from ladder.runs.live import LiveRun, NullWatcher
from ladder.runs.pairings import RANDOM, Pairing
from ladder.runs.settings import RunSettings
from ladder.runs.start import start_run
from ladder.signals import current_stop

NULL = "null"
"""The hidden player whose games last exactly 20 plies."""
WARM_PAIRS = 20
"""Pairs before the clock starts: processes are started and caches filled."""


@dataclass(frozen=True, slots=True)
class HarnessSpeed:
    """The measured cost of null games."""

    games: int
    plies: int
    seconds: float
    """From the end of the warm-up to the last stored pair."""
    round_trip_us: float
    """Per ply: from just before the harness writes a question until it has read the answer. This
    includes the bot's own work and two process switches."""
    game_us: float
    """Per ply: the whole game in the worker, including its setup."""
    startup_s: float
    """From the start of the run to its first stored pair."""

    @property
    def games_per_second(self) -> float:
        """Games finished and committed per second."""
        return self.games / self.seconds

    @property
    def us_per_ply(self) -> float:
        """Wall time per ply."""
        return self.seconds / self.plies * 1e6


class _Timings(NullWatcher):
    """Totals over the pairs stored after the warm-up."""

    def __init__(self, concurrency: int) -> None:
        self.skip = WARM_PAIRS * concurrency
        self.begun = time.perf_counter()
        self.first: float | None = None
        self.start = self.last = self.begun
        self.pairs = self.games = self.plies = 0
        self.round_trip_us = self.game_us = 0

    def pair_finished(self, live: LiveRun, record: PairRecord) -> None:
        """Count a pair, unless it belongs to the warm-up."""
        self.last = time.perf_counter()
        if self.first is None:
            self.first = self.last
        self.pairs += 1
        if self.pairs <= self.skip:
            self.start = self.last
            return
        for game in record.games:
            self.games += 1
            self.plies += len(game.moves)
            self.game_us += game.duration_us
            self.round_trip_us += sum(side.time_us for side in game.sides)


def bench_harness(*, games: int, concurrency: int) -> HarnessSpeed:
    """Play null games of 20 plies each and measure them.

    Args:
        games: the number of measured games, rounded up to whole pairs.
        concurrency: the number of pairs played at the same time.

    Raises:
        InvalidRun: a game did not last 20 plies.
        Stopped: the user stopped the command.

    """
    timings = _Timings(concurrency)
    with (
        tempfile.TemporaryDirectory() as scratch,
        Store.open(str(Path(scratch) / "bench.db")) as store,
    ):
        total = games + games % 2 + 2 * timings.skip
        _play(store, games=total, concurrency=concurrency, timings=timings)
    current_stop().check()
    if timings.plies != 20 * timings.games or timings.first is None:
        raise InvalidRun(
            f"the measurement is not valid: {timings.games} null games of 20 plies each had "
            f"{timings.plies} plies; report this as a defect"
        )
    return HarnessSpeed(
        games=timings.games,
        plies=timings.plies,
        seconds=timings.last - timings.start,
        round_trip_us=timings.round_trip_us / timings.plies,
        game_us=timings.game_us / timings.plies,
        startup_s=timings.first - timings.begun,
    )


def _play(store: Store, *, games: int, concurrency: int, timings: _Timings) -> None:
    null = resolve_own_player(builtin_launch(NULL))
    revision = NewRevision(null.content_hash, null.launch, budgets=("any",))
    bots = [
        store.bots.add(NewBot(name, family=NULL, spec=NULL, revision=revision))
        for name in ("null-a", "null-b")
    ]
    settings = RunSettings(
        bots=tuple(bot.name for bot in bots),
        boards=parse_board_classes("standard"),
        budgets=Budgets({"simulations": 1}),
        pairing=Pairing(RANDOM),
        opening_plies=0,
        seed=1,
        games=games,
        concurrency=concurrency,
        confinement=BUILT_IN_ONLY,
    )
    start_run(store=store, lineup=line_up(store, settings, bots), watcher=timings)
