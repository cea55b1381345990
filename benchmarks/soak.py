"""A long run with bots that misbehave: ``python benchmarks/soak.py --minutes 30``.

Three honest and five misbehaving bots play `ladder run` at 20 ms a move in a process of its own,
which is looked at every few seconds: memory, descriptors, processes, scratch folders. At the end a
Markdown table says what grew, who forfeited how often, and what was left behind. Exit code 1 when
an honest bot forfeits, or when something was left. On a busy machine a misbehaving bot may be late
before it gets to what it is to be charged with.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil

from bots.protocol import BudgetKind
from db.records.bots import (
    NewBot,
)
from db.store import Store
from ladder.registry.specs.spec import BotSource, pack_bot

ROOT = Path(__file__).resolve().parent.parent
HONEST = ("v4", "flat-mc", "random")
BAD = {
    "hangs-in-move": ("hangs-in-move", "timeout"),
    "leaves-an-orphan": ("orphans-keep-output", "crash"),
    "column-99": ("answers 99", "illegal_move"),
    "floods-output": ("floods-output", "protocol_error"),
    "leaks": ("leaks 320,1", "memory"),
}
"""Misbehaving bots: the mode of tests/fake_bots/bot.py, and what it is to be charged with."""
ANY: tuple[BudgetKind, ...] = ("any",)
MEMORY_MB = 300
SCRATCH = "ladder-[0-9]*-*"
SETTLED = 0.1
"""The share of the time after which the first figures are taken: all processes are there."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample of the run's resources."""

    seconds: float
    coordinator_mb: float
    coordinator_files: int
    workers_mb: tuple[float, ...]
    workers_files: tuple[int, ...]
    processes: int
    """All below the coordinator."""
    scratch: int
    """Scratch folders there."""


def main() -> int:
    """Play, sample and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--every", type=float, default=10.0, help="seconds between two samples")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as text:
        folder = Path(text)
        (folder / "tmp").mkdir()
        register(folder)
        samples, code, log_lines = watch(folder, options.minutes, options.every)
        left = leftovers(folder)
        document = report(folder)
    load = os.getloadavg()[2]
    print(f"exit code {code} of `ladder run`; its last line: {log_lines}\n")
    wrong = print_tables(document, samples, options.minutes, left)
    print(f"\nLoad of the machine at the end, over 15 minutes: {load:.1f}")
    return int(bool(code or wrong or left))


def register(folder: Path) -> None:
    """Register the misbehaving bots, which `ladder bots add` would refuse."""
    shutil.copy(ROOT / "tests/fake_bots/bot.py", folder)
    with Store.open(str(folder / "ladder.db")) as store:
        for name, (mode, _) in BAD.items():
            spec = f"exec:{sys.executable} -I -S bot.py {mode}"
            bot = pack_bot(BotSource(spec, folder, patterns=("bot.py",)))
            revision = replace(bot, budgets=ANY)
            store.bots.add(NewBot(name=name, family="fake", spec=spec, revision=revision))


def ladder(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Start a command whose scratch folders lie in the benchmark's folder."""
    return subprocess.Popen(
        [sys.executable, "-c", "from ladder.cli.main import main; main()", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder / "tmp")},
        stdout=subprocess.PIPE,
        stderr=(folder / "stderr").open("a"),
        text=True,
    )


def watch(folder: Path, minutes: float, every: float) -> tuple[list[Sample], int, str]:
    """Play for some minutes; return samples, exit code and the last line of the log."""
    names = ",".join((*HONEST, *BAD))
    run = ladder(
        folder, "run", "--bots", names, "--time", "20ms", "--memory", str(MEMORY_MB),
        "--hours", str(minutes / 60), "--seed", "1", "--json",
    )  # fmt: skip
    begun = time.monotonic()
    samples = []
    try:
        while run.poll() is None:
            time.sleep(every)
            sample = take_sample(run.pid, folder, time.monotonic() - begun)
            if sample is not None:
                samples.append(sample)
            if time.monotonic() - begun > 60 * minutes + 120:
                raise SystemExit("the run did not end in time")
        run.communicate()
    finally:
        if run.poll() is None:
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=30)
    log_lines = (folder / "stderr").read_text().strip().splitlines()
    return samples, run.returncode, log_lines[-1] if log_lines else ""


def take_sample(pid: int, folder: Path, seconds: float) -> Sample | None:
    """Sample the coordinator and all processes below it; return None if it has ended."""
    try:
        coordinator = psutil.Process(pid)
        workers = [
            child
            for child in coordinator.children()
            if any("run_worker" in word for word in child.cmdline())
        ]
        return Sample(
            seconds=seconds,
            coordinator_mb=coordinator.memory_info().rss / 2**20,
            coordinator_files=coordinator.num_fds(),
            workers_mb=tuple(worker.memory_info().rss / 2**20 for worker in workers),
            workers_files=tuple(worker.num_fds() for worker in workers),
            processes=len(coordinator.children(recursive=True)),
            scratch=len(list((folder / "tmp").glob(SCRATCH))),
        )
    except psutil.Error:
        return None


def leftovers(folder: Path) -> list[str]:
    """Return processes whose HOME lies in the folder, and scratch folders."""
    time.sleep(1)
    found = [str(path) for path in (folder / "tmp").glob(SCRATCH)]
    for process in psutil.process_iter():
        try:
            if process.environ().get("HOME", "").startswith(str(folder)):
                found.append(f"{process.pid} {' '.join(process.cmdline())}")
        except psutil.Error:
            continue
    return found


def report(folder: Path) -> dict[str, Any]:
    """Return the document of `ladder report --json`."""
    out, _ = ladder(folder, "report", "--json").communicate()
    document: dict[str, Any] = json.loads(out)
    return document


def print_tables(
    document: dict[str, Any], samples: list[Sample], minutes: float, left: list[str]
) -> int:
    """Print two Markdown tables; return the forfeits of honest bots."""
    settled = [
        sample
        for sample in samples
        if sample.seconds >= SETTLED * 60 * minutes and sample.workers_mb
    ]
    first, last = settled[0], settled[-1]
    stalled = document.get("stalled_games", "unknown")
    print("| what | at the start | at the end | most |")
    print("|---|---|---|---|")
    row("memory of the coordinator, MiB", [f"{sample.coordinator_mb:.1f}" for sample in settled])
    for number in range(min(len(first.workers_mb), len(last.workers_mb))):
        label = f"memory of worker {number + 1}, MiB"
        row(label, [f"{at(sample.workers_mb, number):.1f}" for sample in settled])
    row("descriptors of the coordinator", [str(sample.coordinator_files) for sample in settled])
    for number in range(min(len(first.workers_files), len(last.workers_files))):
        label = f"descriptors of worker {number + 1}"
        row(label, [str(at(sample.workers_files, number)) for sample in settled])
    row("processes below the coordinator", [str(sample.processes) for sample in settled])
    row("scratch folders", [str(sample.scratch) for sample in settled])
    print(f"\n{document['games']} games, {document['games'] / minutes * 60:,.0f} an hour.")
    print(f"Thrown away because the machine stalled: {stalled}. Left behind: {left or 0}.\n")
    print("| bot | games | forfeits | charged with |")
    print("|---|---|---|---|")
    wrong = other = 0
    for bot in document["bots"]:
        kinds = {kind: count for kind, count in bot["forfeits"].items() if count}
        own = BAD.get(bot["name"], ("", ""))[1]
        wrong += 0 if own else sum(kinds.values())
        other += sum(count for kind, count in kinds.items() if own not in ("", kind))
        forfeits = ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or "-"
        print(f"| {bot['name']} | {bot['games']} | {sum(kinds.values())} | {forfeits} |")
    print(f"\nForfeits of honest bots: {wrong}; of the others by another termination: {other}.")
    return wrong


def row(label: str, values: list[str]) -> None:
    """Return first, last and greatest value as text."""
    print(f"| {label} | {values[0]} | {values[-1]} | {max(values, key=float)} |")


def at(values: tuple[Any, ...], number: int) -> Any:
    """Return a worker's value, or 0 for a worker that was being replaced."""
    return values[number] if number < len(values) else 0


if __name__ == "__main__":
    sys.exit(main())
