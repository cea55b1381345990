"""Measures the harness: null games through the same runner, workers and database as real ones."""

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bots.protocol import Budget
from db.records.aggregate import Rate
from db.records.bots import (
    NewBot,
    NewRevision,
)
from db.records.pairs import (
    FinishedPair,
    PairPlan,
    PairRecord,
)
from db.records.runs import (
    NewRun,
    RunKind,
)
from db.store import Pairs, Store
from engine.board import parse_board_classes
from ladder.errors import InvalidRun
from ladder.match.game.broadcast import channel_name
from ladder.match.process.confinement import BUILT_IN_ONLY
from ladder.match.specs.start_command import builtin_launch, make_entrant
from ladder.runs.budgets import Budgets
from ladder.runs.progress import (
    LiveRun,
    NullWatcher,
)
from ladder.runs.schedule import (
    Pairing,
    PairingKind,
    Schedule,
)
from ladder.runs.settings import Settings
from ladder.runs.start import schedule_runner
from ladder.runs.workers import Workers
from ladder.signals import current_stop
from ladder.tools.bench.ping_pong import PingPong, ping_pong

NULL = "null"
"""The hidden player whose games last exactly 20 plies."""
WARM_PAIRS = 20
"""Pairs before the clock starts: processes are started and caches filled."""


@dataclass(frozen=True, slots=True)
class HarnessSpeed:
    """Null games through the whole harness."""

    games: int
    plies: int
    seconds: float
    """From the pair after the warm-up to the last one."""
    round_trip_us: float
    """Per ply: from just before the harness's write of the question to its reading of the answer;
    the bot's own work and two switches of processes lie between."""
    game_us: float
    """Per ply: the whole game in the worker, setting up included."""
    store_us: float
    """Per ply: the transaction of a pair, in the coordinator, beside the worker's play."""
    startup_s: float
    """From the start of the run to its first stored pair."""
    ping_pong: PingPong | None
    """A question and an answer between two C programs on one processor, and how many times as many
    as many pairs as there were workers make at once; None: no C compiler."""

    @property
    def games_per_second(self) -> float:
        """Finished and committed games."""
        return self.games / self.seconds

    @property
    def us_per_ply(self) -> float:
        """All that a ply costs: wall time over plies."""
        return self.seconds / self.plies * 1e6

    @property
    def ping_pongs_per_ply(self) -> float | None:
        """The cost of a ply in questions and answers between two C programs."""
        return None if self.ping_pong is None else self.us_per_ply / self.ping_pong.us


class _Clocks(NullWatcher):
    """Sums over the stored pairs after the warm-up."""

    def __init__(self, concurrency: int) -> None:
        self.skip = WARM_PAIRS * concurrency
        self.begun = time.perf_counter()
        self.first: float | None = None
        self.start = self.last = self.begun
        self.pairs = self.games = self.plies = 0
        self.round_trip_us = self.game_us = 0
        self.store_s = 0.0

    def pair_finished(self, live: LiveRun, record: PairRecord) -> None:
        """Count a pair, unless it belongs to the warm-up."""
        self.last = time.perf_counter()
        if self.first is None:
            self.first = self.last
        self.pairs += 1
        if self.pairs <= self.skip:
            self.start = self.last
            self.store_s = 0.0
            return
        for game in record.games:
            self.games += 1
            self.plies += len(game.moves)
            self.game_us += game.duration_us
            self.round_trip_us += sum(side.time_us for side in game.sides)


class _TimedPairs(Pairs):
    """The pairs of a database, with a sum of the time that storing them takes."""

    clocks: _Clocks

    def finish_all(
        self, played: Sequence[tuple[PairPlan, PairRecord]], rate: Rate
    ) -> list[FinishedPair]:
        """Store played pairs, on the clock."""
        begun = time.perf_counter()
        finished = super().finish_all(played, rate)
        self.clocks.store_s += time.perf_counter() - begun
        return finished


class _TimedStore(Store):
    """A store that times its transactions of pairs."""

    def time_pairs(self, clocks: _Clocks) -> None:
        """Add the time of every stored pair to the clocks from now on."""
        self.pairs = pairs = _TimedPairs(self._database)
        pairs.clocks = clocks


def bench_harness(
    *, games: int, concurrency: int, folder: Path | None = None, channel: str | None = ""
) -> HarnessSpeed:
    """Play that many null games of 20 plies and measure them.

    Args:
        games: how many.
        concurrency: pairs at the same time.
        folder: of the database; None: one for temporary files.
        channel: where moves are told as they are made; empty: to whoever shows this database,
            as in every run; None: nowhere.

    Raises:
        InvalidRun: a game did not end as null games do.

    """
    clocks = _Clocks(concurrency)
    with (
        tempfile.TemporaryDirectory(dir=folder) as scratch,
        _TimedStore.open(str(Path(scratch) / "bench.db")) as store,
    ):
        store.time_pairs(clocks)
        total = games + games % 2 + 2 * clocks.skip
        if channel == "":
            channel = channel_name(store.where)
        _play(
            store,
            games=total,
            workers=Workers(concurrency, confinement=BUILT_IN_ONLY, channel=channel),
            clocks=clocks,
        )
    if clocks.plies != 20 * clocks.games or clocks.first is None:
        raise InvalidRun(
            f"null games should last 20 plies each, got {clocks.plies} in {clocks.games} games"
        )
    return HarnessSpeed(
        games=clocks.games,
        plies=clocks.plies,
        seconds=clocks.last - clocks.start,
        round_trip_us=clocks.round_trip_us / clocks.plies,
        game_us=clocks.game_us / clocks.plies,
        store_us=clocks.store_s / clocks.plies * 1e6,
        startup_s=clocks.first - clocks.begun,
        ping_pong=ping_pong(concurrency),
    )


def _play(store: Store, *, games: int, workers: Workers, clocks: _Clocks) -> None:
    launch = builtin_launch(NULL)
    budget = Budget(simulations=1)
    entrants = {}
    for name in ("null-a", "null-b"):
        revision = NewRevision(content_hash=name, launch=launch, budgets=("any",))
        bot = store.bots.add(NewBot(name=name, family=NULL, spec=NULL, revision=revision))
        entrants[name] = make_entrant(launch, revision=bot.revision.id, name=name, budget=budget)
    settings = Settings(
        bots=tuple(entrants),
        boards=parse_board_classes("standard"),
        budgets=Budgets({"simulations": 1}),
        pairing=Pairing(PairingKind.RANDOM),
        opening_plies=0,
        seed=1,
        games=games,
        concurrency=workers.count,
        confinement=BUILT_IN_ONLY,
    )
    run = store.runs.create(
        NewRun(
            kind=RunKind.LADDER,
            rated=True,
            stream="bench",
            identity="bench",
            settings={},
            seed=1,
            division_id=store.divisions.ensure(*settings.division()).id,
            target_games=games,
        )
    )
    schedule = Schedule(
        bots={name: entrant.revision for name, entrant in entrants.items()},
        pairing=settings.pairing,
        boards=settings.boards,
        opening_plies=0,
        seed=1,
    )
    with current_stop().defer():
        schedule_runner(
            store=store,
            run=run,
            settings=settings,
            schedule=schedule,
            entrants=entrants,
            workers=workers,
            watcher=clocks,
        ).play()
