"""Whose fault a late answer is: ``python -m benchmarks.excuses [--questions 100]``.

Bots use a fixed time for each move, whatever the clock shows, pinned on one CPU (but for the
unpinned one) with none, one and ten busy loops on it. Honest ones stay 25 ms below the limit of
their own time. Slow ones exceed it by 20, 60 or 100 ms, computing, asleep, or half and half. Each
cell asks one question after the other; a charged bot is started again.

Prints a Markdown table per budget: how many honest answers were charged or ended the run, how many
slow ones were excused or ended it (*wrong*), and the largest difference of the charged from the
true time.
With ``--trees DIR DIR`` several versions of this project, each with an environment in ``.venv``,
answer the same cells by turns.
"""

import argparse
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TREE = Path(__file__).resolve().parents[1]
TIME_MS, MARGIN_MS, WATCHDOG_MS = 100, 50, 1000
BELOW_MS = 25
"""How far honest bots stay below the limit; the first 250 ms under a work budget count whole."""
BEYOND_MS = (20, 60, 100)
BUDGETS = ("time", "clock", "overage", "work")
HONEST = ("alone", "child", "threads", "unpinned")
SLOW = ("computes", "sleeps", "both")
LOADS = (0, 1, 10)
PR_SET_PDEATHSIG = 1
BUSY = "while 1: pass"
BOT = """
import hashlib, json, os, sys, threading, time
kind, ms = sys.argv[1], float(sys.argv[2])
if kind == "unpinned":
    os.sched_setaffinity(0, range(os.cpu_count()))
def busy(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
def in_child(seconds):
    pid = os.fork()
    if pid == 0:
        busy(seconds)
        os._exit(0)
    os.waitpid(pid, 0)
def in_threads(seconds):
    until = time.process_time() + seconds
    data = bytes(2**16)
    def work():
        while time.process_time() < until:
            hashlib.sha256(data)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
def both(seconds):
    time.sleep(seconds / 2)
    busy(seconds / 2)
work = {"child": in_child, "threads": in_threads, "unpinned": in_threads, "sleeps": time.sleep,
        "both": both}.get(kind, busy)
hello = {"type": "hello", "name": "a", "version": "1", "budgets": ["any", "clock"]}
for line in sys.stdin:
    question = json.loads(line)["type"]
    if question == "move":
        work(ms / 1000)
        print('{"type":"move","column":0}', flush=True)
    elif question in ("hello", "new_game"):
        print(json.dumps(hello) if question == "hello" else '{"type":"ready"}', flush=True)
"""


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends, however that happens (prctl(2))."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


@contextmanager
def busy_loops(count: int, cpu: int) -> Iterator[None]:
    """Keep a CPU busy while the block runs."""
    loops = [
        subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", BUSY],
            preexec_fn=lambda: (die_with_parent(), os.sched_setaffinity(0, {cpu})),
            start_new_session=True,
        )
        for _ in range(count)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def limit_ms(budget: str) -> int:
    """Return the limit of a move's own time."""
    return WATCHDOG_MS if budget == "work" else TIME_MS + MARGIN_MS


def ask_all(job: dict[str, Any]) -> Counter[str]:
    """Ask the questions of one cell with the imported version; return counts of outcomes."""
    from bots.budget import Clock
    from bots.protocol import Budget, NewGame
    from db.records.launch import DEFAULT_LIMITS, Start
    from ladder.errors import BotFailure, MachineStalled
    from ladder.match.game.asking import SideClock
    from ladder.match.process.bot_process import BotProcess
    from ladder.match.process.sandbox import Confinement

    os.sched_setaffinity(0, {job["cpu"]})
    budget = {
        "time": Budget(time_ms=TIME_MS),
        "clock": Budget(clock=Clock(TIME_MS, 0)),
        "overage": Budget(time_ms=TIME_MS // 2, overage_ms=TIME_MS - TIME_MS // 2),
        "work": Budget(simulations=1),
    }[job["budget"]]
    start = Start(
        (sys.executable, "-I", "-S", "-c", BOT, job["kind"], str(job["ms"])), job["folder"]
    )
    found: Counter[str] = Counter()
    process = None
    for _ in range(job["questions"]):
        if process is None or not process.alive:
            process = BotProcess.start(start, Confinement(limits=DEFAULT_LIMITS, sandbox=()))
            process.hello(300)
            question = NewGame(game="g", rows=6, columns=7, side=0, seed=1, budget=budget)
            process.new_game(question, 300)
        clock = SideClock(budget, 42, margin_ms=MARGIN_MS, watchdog_s=WATCHDOG_MS / 1000)
        try:
            answer = clock.ask(process, (), None)
        except BotFailure as failure:
            found["charged"] += 1
            if job["verbose"]:
                print(job["budget"], job["kind"], job["ms"], failure, file=sys.stderr)
        except MachineStalled:
            found["stalled"] += 1
        else:
            charged_ms = getattr(answer, "own_us", None) or getattr(answer, "elapsed_us", 0)
            off_ms = round(abs(charged_ms / 1000 - job["ms"]))
            found["counted"] += 1
            found["off_ms"] = max(found["off_ms"], off_ms)
    if process is not None:
        process.kill()
    return found


def run_cell(tree: str, job: dict[str, Any]) -> Counter[str]:
    """Let one version answer the questions of a cell."""
    python = Path(tree) / ".venv" / "bin" / "python"
    done = subprocess.run(
        [str(python) if python.exists() else sys.executable, __file__, "--job", json.dumps(job)],
        env={**os.environ, "PYTHONPATH": tree},
        cwd=tree,
        stdout=subprocess.PIPE,
        check=True,
    )
    return Counter(json.loads(done.stdout))


def cells(budget: str) -> Iterator[tuple[str, float, bool]]:
    """Yield kind, milliseconds and honesty of each bot under a budget."""
    limit = limit_ms(budget)
    unmeasured = 250 if budget == "work" else 0
    for kind in HONEST:
        yield kind, limit - unmeasured - BELOW_MS, True
    for kind in SLOW:
        for beyond in BEYOND_MS:
            yield kind, limit + beyond, False


def main() -> None:
    """Ask by turns and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--questions", type=int, default=100, help="questions in each cell")
    parser.add_argument("--turn", type=int, default=50, help="questions of one tree in a row")
    parser.add_argument("--trees", nargs="+", default=[str(TREE)])
    parser.add_argument("--budgets", nargs="+", default=BUDGETS, choices=BUDGETS)
    parser.add_argument("--loads", nargs="+", type=int, default=LOADS, help="busy loops")
    parser.add_argument("--kinds", nargs="+", default=(*HONEST, *SLOW))
    parser.add_argument("--cpu", type=int, default=min(os.sched_getaffinity(0)))
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--verbose", action="store_true", help="print what charged bots are told")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        print(json.dumps(ask_all(json.loads(options.job))))
        return
    options.trees = [str(Path(tree).resolve()) for tree in options.trees]
    for budget in options.budgets:
        print(
            f"\n| {budget}: bot, ms | loops | tree | wrong | counted | charged | no answer | off |"
        )
        print("|---|---|---|---|---|---|---|---|")
        for (kind, ms, is_honest), load in (
            (cell, load) for cell in cells(budget) for load in options.loads
        ):
            if kind not in options.kinds:
                continue
            job = {"budget": budget, "kind": kind, "ms": ms, "cpu": options.cpu,
                   "folder": options.folder, "verbose": options.verbose}  # fmt: skip
            totals: dict[str, Counter[str]] = {tree: Counter() for tree in options.trees}
            with busy_loops(load, options.cpu):
                for first in range(0, options.questions, options.turn):
                    number = min(options.turn, options.questions - first)
                    for tree in options.trees:
                        found = run_cell(tree, {**job, "questions": number})
                        off_ms = max(totals[tree]["off_ms"], found["off_ms"])
                        totals[tree] += found
                        totals[tree]["off_ms"] = off_ms
            for tree, total in totals.items():
                wrong = total["stalled"] + total["charged" if is_honest else "counted"]
                off = f"{total['off_ms']} ms" if total["counted"] else "-"
                print(
                    f"| {kind}, {ms:.0f} | {load} | {Path(tree).name} | {wrong} "
                    f"| {total['counted']} | {total['charged']} | {total['stalled']} | {off} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
