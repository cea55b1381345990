"""Limits and a loaded machine, from the command line to the database."""

import contextlib
import itertools
import json
import os
import shutil
import socket
import sqlite3
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from db.records.pairs import PairPlan, PairRecord
from ladder.cli.main import run_command
from ladder.match.process.cpus import PREFIX
from tests.end_to_end.conftest import FAKE_BOTS, Ladder
from tests.support.instant_workforce import InstantWorkers, InstantWorkforce


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


class StalledWorkers(InstantWorkers):
    """Workers that give up every pair, as on a machine that keeps its bots waiting."""

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        future: Future[PairRecord] = Future()
        future.set_result(
            PairRecord(plan.pair.id, plan.pair.number, (), stalls=4, abort_reason="late; wait")
        )
        return future


@pytest.mark.slow
def test_an_overloaded_machine_ends_the_run_and_charges_no_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 5 with a sentence and no forfeit; later the same command resumes and reports that."""
    monkeypatch.chdir(tmp_path)
    run = ["run", "--bots", "stupid,random", "--time", "40ms", "--boards", "6x7", "--games", "8",
           "--concurrency", "1"]  # fmt: skip
    assert run_command(run, InstantWorkforce(StalledWorkers)) == 5
    told = capsys.readouterr().err
    assert "the machine stalls: " in told
    assert "the last time as late; wait\n" in told
    assert query(tmp_path, "select count(*) from games") == [(0,)]
    [(stalls,)] = query(tmp_path, "select sum(stalls) from pairs where status = 'planned'")
    assert stalls in (4, 8)  # of the pairs that ended at the same time
    assert run_command([*run, "--json"], InstantWorkforce()) == 0
    played = json.loads(capsys.readouterr().out)
    assert played["run"]["stalled_games"] == played["report"]["stalled_games"] == stalls
    assert run_command(["report", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["games"], report["stalled_games"]) == (8, stalls)
    assert any("because the host delayed the bot" in note for note in report["notes"])
    assert sum(sum(bot["forfeits"].values()) for bot in report["bots"]) == 0


@pytest.mark.slow
def test_limits_are_options_kept_with_the_run(ladder: Ladder) -> None:
    """A limit reaches the workers, names itself in the forfeit, and belongs to the identity."""
    add(ladder, "leaks", "leaks 60,1,0.1")  # slow enough to be looked at in every game
    run = ("run", "--bots", "leaks,random", "--simulations", "1", "--boards", "6x7", "--seed", "1",
           "--concurrency", "1")  # fmt: skip
    done = ladder(*run, "--games", "4", "--memory", "50", "--json")
    assert done.code == 0, done.err
    forfeits = {bot["name"]: bot["forfeits"] for bot in done.document["report"]["bots"]}
    assert forfeits["leaks"]["memory"] == 4
    details = query(ladder.folder, "select detail from games where termination = 'memory'")
    assert all("over its memory limit" in detail for (detail,) in details)
    assert all("50 MiB allowed" in detail for (detail,) in details)
    [(text,)] = query(ladder.folder, "select settings from runs")
    limits = json.loads(text)["limits"]
    assert (limits["memory_mb"], limits["open_files"]) == (50, 1024)
    assert ladder.instant()(*run, "--games", "2", "--memory", "900").code == 0
    assert len(query(ladder.folder, "select distinct identity from runs")) == 2
    assert ladder("match", "leaks", "random", "--memory", "0").code == 2


@pytest.mark.slow
def test_a_timed_run_beside_another_is_warned(ladder: Ladder) -> None:
    """Only one that would share a CPU under `--time`: a work budget loses nothing but time.

    Every command that plays is warned, for the workers of this machine say it.
    """
    cpus = sorted(os.sched_getaffinity(0))
    words = ("run", "--bots", "random,stupid", "--boards", "5x5", "--games", "2")
    words = (*words, "--concurrency", len(cpus))
    with socket.socket(socket.AF_UNIX) as claim:
        for cpu in itertools.cycle(cpus):  # the runs of other tests claim some, too, and end
            with contextlib.suppress(OSError):
                claim.bind(f"\0{PREFIX}.cpu.{cpu}")
                break
            time.sleep(0.01)
        worked = ladder(*words, "--simulations", "5")
        timed = ladder("gate", "random", "--against", "stupid", "--boards", "5x5", "--time", "1ms",
                       "--max-games", "2", "--concurrency", len(cpus))  # fmt: skip
    assert "another run plays on" not in worked.err
    assert timed.err.count("warning: another run plays on") == 1
    assert (timed.code, worked.code) == (4, 0)
