"""Experiments that are stopped again and again end as undisturbed ones.

Their pairs are played at random in this process; `tests/ladder/runs/test_resume.py` and
`tests/end_to_end/runs/test_kills.py` kill runs besides.
"""

import json
import shutil
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from db.records.pairs import PairPlan, PairRecord
from ladder.cli.main import run_command
from ladder.signals import StopToken, current_stop, use_stop
from tests.end_to_end.traces import faults_of, query
from tests.support.data.history import BUILD, player_history
from tests.support.instant_workforce import InstantWorkers, InstantWorkforce
from tests.support.shared import made_once

CONDITIONS = ("--boards", "5x5", "--concurrency", "1", "--seed", "7", "--json")
COMMANDS = {
    "gate": ("gate", "random", "--against", "stupid,v1", "--simulations", "1", "--max-games", "24"),
    "select": ("select", "random", "stupid", "v1", "--simulations", "1", "--max-games", "60"),
    "tune": (
        "tune", "builtin:ab1", "--param", "two=0..30:int", "--depth", "1", "--games", "24",
        "--pairs", "2", "--max-games", "8", "--register", "better",
    ),
    "bisect": (
        "bisect", "python:built.py:Bot", "--good", "HEAD~9", "--bad", "HEAD~5", "--build", BUILD,
        "--simulations", "1", "--max-games", "16",
    ),
}  # fmt: skip
STATES = "select kind, seed, target_games, status, verdict, note from runs order by id"


class StoppingWorkers(InstantWorkers):
    """Workers that request a stop when they get their third pair."""

    def __init__(self) -> None:
        super().__init__()
        self._pairs = 0

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        self._pairs += 1
        if self._pairs == 3:
            current_stop().request()
        return super().submit(plan)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",  # a selection is resumed by the engine of gates
    [pytest.param(each, marks=(pytest.mark.very_slow,) * (each == "select")) for each in COMMANDS],
)
def test_a_stopped_and_repeated_experiment_ends_as_an_undisturbed_one(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its document, its runs and its steps are equal, and its games are those of one stream."""
    ends: list[Any] = []
    for workers in (InstantWorkers, StoppingWorkers):
        folder = tmp_path / workers.__name__
        folder.mkdir()
        if name == "bisect":
            made = made_once("player-history", lambda place: player_history(place / "repo"))
            shutil.copytree(made / "repo", folder, dirs_exist_ok=True)
        monkeypatch.chdir(folder)
        codes = [130]
        while codes[-1] == 130:
            capsys.readouterr()
            with use_stop(StopToken()):
                command = [*COMMANDS[name], *CONDITIONS]
                codes.append(run_command(command, InstantWorkforce(workers)))
            assert len(codes) < 60
        assert (len(codes) > 4) == (workers is StoppingWorkers)
        document = json.loads(capsys.readouterr().out)
        document.pop("uncounted_games", None)  # pairs that were in play at the decision
        steps = query(folder, "select step, a, b, pentanomial, estimate from tuning_steps")
        ends.append((codes[-1], document, query(folder, STATES), steps))
        assert faults_of(folder) == []
    assert ends[0] == ends[1]
