"""Bots that no machine can host: the run continues without them and reports it by its exit code."""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path

import pytest

from db.records.bots import BotRow
from db.records.pairs import Entrant, PairPlan, PairRecord
from db.records.runs import RunRow
from db.store import Store
from engine.board import parse_board_classes
from ladder.cli.run_and_report import play_and_report
from ladder.cli.run_options import RunOptions
from ladder.errors import ExitCode, InvalidRun
from ladder.runs.budgets import Budgets
from ladder.runs.executor import NoHost, PairExecutor
from ladder.runs.pairings import RANDOM, Pairing
from ladder.runs.settings import Settings
from tests.end_to_end.traces import faults_of
from tests.support.stops import InstantWorkers
from tests.support.unconfined import UNCONFINED


class WithoutHost(InstantWorkers):
    """Machines none of which hosts v4."""

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        if "v4" not in (plan.a.name, plan.b.name):
            return super().submit(plan)
        future: Future[PairRecord] = Future()
        future.set_exception(NoHost({"v4": "no machine can host it: lab1: it lacks a file"}))
        return future


class Lab:
    """A workforce of such machines."""

    def prepare(self, entrants: Mapping[str, Entrant], adjudicated: object) -> None:
        pass

    def start(
        self, store: Store, run: RunRow, settings: Settings, bots: Sequence[BotRow],
        entrants: Mapping[str, Entrant], logs: Path,
    ) -> PairExecutor:  # fmt: skip
        return WithoutHost()


class LabOptions(RunOptions):
    """Options that choose the machines of the lab."""

    def workforce(self) -> Lab:
        return Lab()


def play(folder: Path, *bots: str) -> int:
    """Play twenty games of some bots and return the exit code."""
    settings = Settings(
        bots=bots,
        boards=parse_board_classes("4x4"),
        budgets=Budgets({"simulations": 1}),
        pairing=Pairing(RANDOM),
        seed=1,
        games=20,
        confinement=UNCONFINED,
    )
    return play_and_report(
        str(folder / "ladder.db"),
        lambda store: (settings, [store.bots.get(name) for name in bots]),
        json=True,
        options=LabOptions(),
    )


@pytest.mark.slow
def test_a_run_continues_without_a_bot_that_no_machine_hosts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All games are those of the others; stderr, the report and the exit code name the bot."""
    assert play(tmp_path, "random", "stupid", "v4") == ExitCode.USAGE
    told = capsys.readouterr()
    run = json.loads(told.out)["run"]
    assert (run["status"], run["games"]) == ("finished", 20)
    assert run["left_out"] == {"v4": "no machine can host it: lab1: it lacks a file"}
    assert told.err.count("v4 is left out: no machine can host it: lab1: it lacks a file") == 1
    assert faults_of(tmp_path) == []


def test_a_run_without_two_hosted_bots_is_invalid(tmp_path: Path) -> None:
    """There is no pair left to play, which is the reported reason."""
    with pytest.raises(InvalidRun, match=r"v4 is left out \(no machine can host it: lab1"):
        play(tmp_path, "random", "v4")
