"""What each kind of misbehaviour costs: ``python benchmarks/misbehaviour.py [--rounds 20]``.

Every fake bot plays against an honest one for real, in both colours by turns, with fresh processes,
and after each game two honest bots play one. Prints a Markdown table:

- *charged*: how often the guilty side alone lost, with the termination that was stored;
- *to the order*: from the missed deadline to the order to kill, in ms, median and most;
- *to all gone*: from there (or from the moment in which the fault was seen) until nothing that the
  bot started is alive, in ms, median and most;
- *cost*: how much longer the game took than the time that the bot was given, in ms, the start of
  its process included.

Exit code 1 when a game was charged otherwise, or when a process was left.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from bots.protocol import Budget, Request
from db.records.launch import (
    DEFAULT_LIMITS,
    Limits,
    Start,
)
from db.records.pairs import (
    Entrant,
    PairPlan,
    PlannedPair,
)
from engine.result import Result
from ladder.errors import BotTimeout, MachineStalled
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_game
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.sandbox import Confinement
from ladder.match.process.supervisor_client import SupervisorClient
from tests.support.fakes import (
    fake_start,
    living,
)


@dataclass(frozen=True, slots=True)
class Fault:
    """One kind of misbehaviour."""

    name: str
    mode: str
    """Of tests/fake_bots/bot.py, with its argument."""
    termination: str
    time_ms: int = 20
    limits: Limits = DEFAULT_LIMITS


MOVE = '{"type":"move","column":0}'
LONG = 15_000
"""Milliseconds for those that a limit is to stop before the clock does."""
FAULTS = (
    Fault("hangs, ignoring SIGTERM", "hangs-in-move", "timeout"),
    Fault("is slow", "late 20", "timeout"),
    Fault("does not read its input, `quit` included", "stops-reading", "timeout"),
    Fault("endless flood on stderr", "floods-errors", "timeout"),
    Fault("crashes", "segfaults", "crash", LONG),
    Fault("children outlive it", "orphans-keep-output", "crash", LONG),
    Fault("200 children", "many-processes", "crash", LONG),
    Fault("writes a file without end", "one-large-file", "crash", LONG, Limits(file_mb=50)),
    Fault("eats memory", "eats-memory", "memory", LONG, Limits(memory_mb=200)),
    Fault("endless flood on stdout", "floods-output", "protocol_error"),
    Fault("garbage", "garbage", "protocol_error"),
    Fault("answers twice", rf"writes {MOVE}\n{MOVE}\n", "protocol_error"),
)


@dataclass(slots=True)
class Seen:
    """Measurements of one fault; times in ms."""

    charged: Counter[str] = field(default_factory=Counter)
    order_ms: list[float] = field(default_factory=list)
    gone_ms: list[float] = field(default_factory=list)
    cost_ms: list[float] = field(default_factory=list)
    stalled: int = 0
    left: int = 0
    wrong: int = 0


class Clocks:
    """Times in the current game, recorded by the functions that `watched` wraps."""

    missed: float | None = None
    """The deadline that was missed."""
    failed: float | None = None
    ordered: float | None = None
    gone: float | None = None
    given_s: float = 0.0
    """What the bot was given at the question where it failed, when it used that up."""


def watched() -> Clocks:
    """Record the times of the harness's own calls during the block."""
    clocks = Clocks()
    kill, end = BotProcess.kill, SupervisorClient.request_end
    exchange = BotProcess._exchange

    def noted_exchange(
        self: BotProcess, question: Request, limit_s: float, *, is_watched: bool
    ) -> tuple[bytes, int, bool]:
        begun = time.perf_counter()
        try:
            return exchange(self, question, limit_s, is_watched=is_watched)
        except BotTimeout:
            clocks.missed = begun + limit_s
            clocks.given_s = limit_s
            raise

    def noted_kill(self: BotProcess) -> None:
        first = clocks.failed is None and self.alive
        if first:
            clocks.failed = time.perf_counter()
        kill(self)
        if first:
            clocks.gone = time.perf_counter()

    def noted_end(self: SupervisorClient) -> None:
        if clocks.ordered is None:
            clocks.ordered = time.perf_counter()
        end(self)

    BotProcess._exchange = noted_exchange  # type: ignore[method-assign]
    BotProcess.kill = noted_kill  # type: ignore[method-assign]
    SupervisorClient.request_end = noted_end  # type: ignore[method-assign]
    return clocks


def main() -> int:
    """Play all faults and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--only", default="", help="faults whose mode begins so")
    options = parser.parse_args()
    clocks = watched()
    print("| fault | charged | to the order, ms | to all gone, ms | cost, ms |")
    print("|---|---|---|---|---|")
    totals = Seen()
    with tempfile.TemporaryDirectory() as text:
        for fault in FAULTS:
            if not fault.mode.startswith(options.only):
                continue
            seen = Seen()
            for number in range(options.rounds):
                one_round(fault, number, Path(text), clocks, seen)
            print_row(fault, seen)
            for name in ("order_ms", "gone_ms", "cost_ms"):
                getattr(totals, name).extend(getattr(seen, name))
            totals.stalled += seen.stalled
            totals.left += seen.left
            totals.wrong += seen.wrong
    print(
        f"\nAll {len(totals.gone_ms)} faults together: {both(totals.order_ms)} ms to the order, "
        f"{both(totals.gone_ms)} ms to all gone (median / most). Charged otherwise: "
        f"{totals.wrong}. Played again because the machine stalled: {totals.stalled}. "
        f"Processes left: {totals.left}."
    )
    return int(bool(totals.wrong or totals.left))


def one_round(fault: Fault, number: int, folder: Path, clocks: Clocks, seen: Seen) -> None:
    """Play one game with the fault and one without."""
    bad = fake_start(*fault.mode.split(" ", 1), folder=folder, mark=str(folder))
    good = fake_start("honest", folder=folder, mark=str(folder))
    pool = BotPool(Confinement(limits=fault.limits, sandbox=()))
    try:
        play_game(plan(good, good, fault), pool, swapped=False)
        clocks.missed = clocks.failed = clocks.ordered = clocks.gone = None
        clocks.given_s = 0.0
        begun = time.perf_counter()
        swapped = number % 2 == 1
        game = play_game(plan(bad, good, fault), pool, swapped=swapped)
        took = time.perf_counter() - begun
        guilty_lost = game.result is (Result.WIN if swapped else Result.LOSS)
        charged = str(game.termination) if game.termination.is_forfeit else ""
        fits = charged == fault.termination and (guilty_lost or not charged)
        seen.wrong += not fits
        seen.charged[charged or "none"] += 1
        seen.cost_ms.append(1000 * (took - clocks.given_s))
        if clocks.missed is not None and clocks.ordered is not None:
            seen.order_ms.append(1000 * (clocks.ordered - clocks.missed))
        if clocks.gone is not None and clocks.failed is not None:
            seen.gone_ms.append(1000 * (clocks.gone - (clocks.missed or clocks.failed)))
        after = play_game(plan(good, good, fault), pool, swapped=False)
        seen.wrong += after.termination.is_forfeit
    except MachineStalled:
        seen.stalled += 1
    finally:
        pool.close()
        seen.left += len(living(str(folder)))


def plan(a: Start, b: Start, fault: Fault) -> PairPlan:
    """Plan a game under the fault's conditions; the first bot misbehaves."""
    budget = Budget(time_ms=fault.time_ms)
    return PairPlan(
        PlannedPair(1, 2, "6x7", "6x7", (), seed=7),
        a=Entrant(1, "bad", a, budget),
        b=Entrant(2, "good", b, budget),
    )


def print_row(fault: Fault, seen: Seen) -> None:
    """Print the fault's line of the table."""
    charged = ", ".join(f"{count} {kind}" for kind, count in seen.charged.items())
    cells = [fault.name, charged, *map(both, (seen.order_ms, seen.gone_ms, seen.cost_ms))]
    print("| " + " | ".join(cells) + " |", flush=True)


def both(values: Iterable[float]) -> str:
    """Return median and maximum as text."""
    known = sorted(values)
    return f"{statistics.median(known):.1f} / {known[-1]:.1f}" if known else "-"


if __name__ == "__main__":
    sys.exit(main())
