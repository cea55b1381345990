"""Limits and a loaded machine, from the command line to the database."""

import contextlib
import json
import os
import shutil
import socket
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ladder.match.process.cpus import PREFIX
from tests.end_to_end.conftest import FAKE_BOTS, Ladder
from tests.support.crowd import crowd_to_come

pytestmark = pytest.mark.slow


def query(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(folder / "ladder.db")
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def add(ladder: Ladder, name: str, mode: str, *options: str) -> None:
    shutil.copy(FAKE_BOTS / "bot.py", ladder.folder / "bot.py")
    done = ladder("bots", "add", name, f"exec:python3 -I -S bot.py {mode}", *options)
    assert done.code == 0, done.err


@pytest.mark.timed
@pytest.mark.very_slow
def test_an_overloaded_machine_ends_the_run_and_charges_nobody(
    ladder: Ladder, eventually: Callable[..., None]
) -> None:
    """Exit 5 with a sentence and no forfeit; in peace the same command goes on and tells it."""
    order = Path(f"{ladder.folder}-order")  # not among the bots' own files
    order.touch()
    add(ladder.stock(), "thinker", f"obeys at:{order}")
    add(ladder, "other", f"obeys at:../{order.name}")
    run = ("run", "--bots", "thinker,other", "--time", "40ms", "--margin", "200ms", "--boards",
           "6x7", "--concurrency", "1", "--games", "8", "--json")  # fmt: skip
    with crowd_to_come() as crowd:
        order.write_text("sleep 0.03")
        process = ladder.start(*run)
        eventually(lambda: query(ladder.folder, "select count(*) from games") >= [(2,)])
        order.write_text("work 0.039")
        crowd.come()
        done = ladder.finish(process)
    order.write_text("")
    assert done.code == 5, done.err
    assert "the machine stalls: " in done.err
    assert "allow more time per move" in done.err
    assert query(ladder.folder, "select count(*) from games where offender is not null") == [(0,)]
    # Three pairs of four attempts each; a worker may have begun the next one.
    assert query(ladder.folder, "select sum(aborts) from pairs where status = 'planned'") >= [(12,)]
    done = ladder(*run)
    assert done.code == 0, done.err
    report = ladder("report", "--json").document
    assert report["games"] == 8
    assert report["stalled_games"] >= 4
    assert any("because the host delayed the bot" in note for note in report["notes"])
    assert sum(sum(bot["forfeits"].values()) for bot in report["bots"]) == 0


def test_limits_are_options_kept_with_the_run(ladder: Ladder) -> None:
    """A limit reaches the workers, names itself in the forfeit, and belongs to the identity."""
    add(ladder, "leaks", "leaks 60,1,0.1")  # slow enough to be looked at in every game
    run = ("run", "--bots", "leaks,random", "--simulations", "1", "--boards", "6x7", "--seed", "1",
           "--concurrency", "1")  # fmt: skip
    done = ladder(*run, "--games", "4", "--memory", "50", "--cpu-time", "7", "--json")
    assert done.code == 0, done.err
    forfeits = {bot["name"]: bot["forfeits"] for bot in done.document["report"]["bots"]}
    assert forfeits["leaks"]["memory"] == 4
    details = query(ladder.folder, "select detail from games where termination = 'memory'")
    assert all("over its memory limit" in detail for (detail,) in details)
    assert all("50 MiB allowed" in detail for (detail,) in details)
    [(text,)] = query(ladder.folder, "select settings from runs")
    limits = json.loads(text)["limits"]
    assert (limits["memory_mb"], limits["cpu_s"], limits["open_files"]) == (50, 7, 1024)
    assert ladder(*run, "--games", "2", "--memory", "900").code == 0
    assert len(query(ladder.folder, "select distinct identity from runs")) == 2
    assert ladder("match", "leaks", "random", "--memory", "0").code == 2


def test_a_sandbox_from_the_command_line(ladder: Ladder) -> None:
    """`bots add`, `run` and `doctor` use it; a word that is no program is refused at once."""
    wrapper = ladder.folder / "wrapper"
    wrapper.write_text(f'#!/bin/sh\necho "$@" >> {ladder.folder}/started\nexec "$@"\n')
    wrapper.chmod(0o755)
    started = ladder.folder / "started"
    add(ladder, "guest", "honest", "--sandbox", str(wrapper))
    assert "bot.py honest" in started.read_text()
    started.unlink()
    words = ("--bots", "guest,random", "--simulations", "1", "--boards", "6x7", "--games", "2")
    done = ladder("run", *words, "--sandbox", f"{wrapper} env -u LANG")
    assert done.code == 0, done.err
    assert all(
        line.startswith("env -u LANG python3 -I") for line in started.read_text().splitlines()
    )
    refused = ladder("run", *words, "--sandbox", "no-such-program --flag")
    assert refused.code == 2
    assert "--sandbox: there is no program 'no-such-program' on PATH" in refused.err
    assert ladder("run", *words, "--sandbox", "'").code == 2
    found = ladder("doctor", "--json").document
    [reach] = [row for row in found if row["topic"] == "reach"]
    assert reach["level"] == "warning"
    assert "docs/sandbox.md" in reach["text"]
    through = ladder("doctor", "--sandbox", str(wrapper))
    assert through.code == 1
    assert "in spite of the sandbox" in through.out


@contextlib.contextmanager
def claimed(cpu: int) -> Iterator[None]:
    """Claim a CPU as a worker does, unless another run has claimed it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as held:
        with contextlib.suppress(OSError):
            held.bind(f"\0{PREFIX}.cpu.{cpu}")
        yield


def test_a_timed_run_beside_another_is_warned(ladder: Ladder) -> None:
    """Only one that would share a CPU under `--time`: a work budget loses nothing but time."""
    cpus = sorted(os.sched_getaffinity(0))
    words = ("run", "--bots", "random,stupid", "--boards", "5x5", "--games", "2")
    words = (*words, "--concurrency", len(cpus), "--db")
    with claimed(cpus[0]):
        timed = ladder(*words, "timed.db", "--time", "1ms")
        worked = ladder(*words, "worked.db", "--simulations", "5")
    assert "another run plays on" in timed.err
    assert "another run plays on" not in worked.err
    assert (timed.code, worked.code) == (0, 0)
