"""Helpers for tests of foreign bots: files, trials and single games."""

import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bots.protocol import Budget
from db.records.games import GameRecord
from db.records.launch import Restart
from db.records.pairs import (
    Entrant,
    PairPlan,
    PairRecord,
    PlannedPair,
)
from ladder.errors import UsageError
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from ladder.match.process.bot_process import BotProcess
from ladder.registry.specs.spec import BotSource, read_spec
from ladder.registry.specs.start_command import builtin_launch, make_entrant, make_start
from ladder.registry.trial import TrialResult, try_out
from tests.support.shared import made_once
from tests.support.unconfined import UNCONFINED

FAKE_BOTS = Path(__file__).resolve().parents[1] / "fake_bots"
BUDGET = Budget(time_ms=500)
LEGAL = """
def legal(board, moves):
    room = [board["rows"]] * board["columns"]
    if board["forbidden"]:
        room[board["forbidden"][1]] -= 1
    for column in moves:
        room[column] -= 1
    return [column for column, left in enumerate(room) if left > 0]
"""
BOT = """
from {module} import legal

class Bot:
    def new_game(self, board, side, seed, budget):
        self.board = board
    def choose(self, moves):
        return legal(self.board, moves)[0]
"""


def write(folder: Path, **files: str) -> None:
    """Write Python files, named by their paths without the suffix."""
    for name, text in files.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def tried(
    spec: str,
    folder: Path,
    *,
    time_ms: int | None = None,
    restart: Restart | None = None,
    python: str | None = None,
) -> TrialResult:
    """Return the findings of a trial."""
    launch = read_spec(BotSource(spec, folder, python)).launch
    launch = msgspec.structs.replace(launch, restart=restart or launch.restart)
    return try_out(launch, (), UNCONFINED, time_ms=time_ms)


def refusal(spec: str, folder: Path, **options: Any) -> str:
    """Return the message with which a trial refuses a bot."""
    with pytest.raises(UsageError) as refused:
        tried(spec, folder, **options)
    return str(refused.value)


def entrant(
    spec: str,
    folder: Path,
    *,
    restart: Restart | None = None,
    budget: Budget = BUDGET,
    kinds: Sequence[str] = (),
) -> Entrant:
    """Return a specification's bot as an entrant, by default with half a second per move."""
    launch = read_spec(BotSource(spec, folder)).launch
    return make_entrant(launch, revision=1, name="bot", budget=budget, restart=restart, kinds=kinds)


class Opponent:
    """A process of `random` that plays against one bot after another: its start takes longer."""

    def __init__(self) -> None:
        self._start = make_start(builtin_launch("random"))
        self._process: BotProcess | None = None

    @contextmanager
    def playing(self, pool: BotPool) -> Iterator[None]:
        """Lend the process to a pool."""
        if self._process is not None:
            pool.release(self._start, self._process, renew=False)
        yield
        self._process = pool.acquire(self._start)

    def end(self) -> None:
        """Kill the process; the next pairs have a new one."""
        if self._process is not None:
            self._process.kill()
            self._process = None


OPPONENT = Opponent()


def play(bot: Entrant, board: str, *, pairs: int = 1) -> list[PairRecord]:
    """Play pairs of the bot against `OPPONENT`, one after another with the same processes."""
    pool = BotPool(UNCONFINED)
    try:
        with OPPONENT.playing(pool):
            return [
                play_pair(
                    PairPlan(
                        PlannedPair(1, 2, board, board, (3, 3), seed=number, number=number),
                        a=bot,
                        b=make_entrant(
                            builtin_launch("random"), revision=2, name="random", budget=bot.budget
                        ),
                        margin_ms=60_000,
                    ),
                    pool,
                )
                for number in range(pairs)
            ]
    finally:
        pool.close()


def games_of(records: Iterable[PairRecord]) -> list[GameRecord]:
    """Return all games of the pairs."""
    return [game for record in records for game in record.games]


def compiled(folder: Path, *flags: str) -> str:
    """Compile the fake strategy with these modes and return its specification."""
    shutil.copy(_library(flags, "g++"), folder / "strategy.so")
    return "thu:./strategy.so"


def linked_as_c(folder: Path, *flags: str) -> str:
    """Link the strategy by the C compiler, without the C++ run-time library."""
    shutil.copy(_library(flags, "gcc"), folder / "strategy.so")
    return "thu:./strategy.so"


def _library(flags: tuple[str, ...], linker: str) -> Path:
    """Return the strategy's library, compiled once for each set of modes."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler (g++) to compile a strategy with")

    def make(folder: Path) -> None:
        modes = [f"-D{flag}" for flag in flags]
        source = FAKE_BOTS / "strategy.cpp"
        compiling = [compiler, "-std=c++14", "-fPIC", *modes, "-c", "-o", "strategy.o", source]
        subprocess.run(compiling, cwd=folder, check=True)
        subprocess.run(
            [linker, "-shared", "-o", "strategy.so", "strategy.o"], cwd=folder, check=True
        )

    return made_once("-".join(("strategy", linker, *flags)), make) / "strategy.so"
