"""Runs whose bots get other names end as those whose bots keep them."""

import json
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from db.store import Store
from ladder.cli.main import run_command
from ladder.registry.builtins import sync_builtins
from ladder.signals import StopToken, use_stop
from tests.end_to_end.experiments.test_stopped import COMMANDS as SEARCHES
from tests.end_to_end.experiments.test_stopped import StoppingWorkers
from tests.end_to_end.traces import faults_of, query
from tests.support.data.history import player_history
from tests.support.instant_workforce import InstantWorkers, InstantWorkforce
from tests.support.shared import made_once

CONDITIONS = ("--boards", "5x5", "--concurrency", "1", "--seed", "7")
COMMANDS = {
    "match": ("match", "random", "mybot", "--time", "mybot=200ms,100ms", "--games", "20"),
    "run": (
        "run", "--bots", "mybot,other,random", "--pairing", "gauntlet:mybot", "--games", "20",
        "--simulations", "1",
    ),
    "swiss": (
        "run", "--bots", "mybot,other,random,stupid", "--pairing", "swiss", "--games", "30",
        "--simulations", "1",
    ),
    "gate": (
        "gate", "mybot", "--against", "random,other", "--simulations", "1", "--max-games", "20",
    ),
    "select": (
        "select", "random", "other", "--against", "mybot", "--simulations", "1",
        "--max-games", "32",
    ),
}  # fmt: skip
NEW = {"mybot": "zed", "other": "abe"}
"""Names that change the order of the bots."""
OLD = {new: old for old, new in NEW.items()}
PAIRS = (
    "select number, a_revision_id, b_revision_id, opening, seed, board from pairs "
    "where status = 'finished' order by run_id, number"
)


def make(folder: Path) -> None:
    """Store two bots besides the built-in players, and make the folder the current one."""
    folder.mkdir()
    with Store.open(f"{folder}/ladder.db") as store:
        sync_builtins(store)
        for name, like in (("mybot", "v1"), ("other", "stupid")):
            store.bots.add(replace(store.bots.get(like), name=name))


def rename(names: Mapping[str, str]) -> None:
    with Store.open("ladder.db") as store:
        for old, new in names.items():
            store.bots.rename(old, new)


def play(words: Sequence[str], workers: type[InstantWorkers]) -> int:
    """Run a command; return its exit code."""
    with use_stop(StopToken()):
        return run_command([*words], InstantWorkforce(workers))


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_run_goes_on_under_the_new_names_of_its_bots(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command that the list prints resumes it, as does the old one when a bot is called so
    again; its pairs, its result and its title are those of an undisturbed run, with the names of
    now."""

    def shown() -> Any:
        capsys.readouterr()
        assert run_command(["runs", "show", "1", "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    command = (*COMMANDS[name], *CONDITIONS)
    make(tmp_path / "calm")
    monkeypatch.chdir(tmp_path / "calm")
    ended = play(command, InstantWorkers)
    calm, pairs = shown(), query(tmp_path / "calm", PAIRS)

    make(tmp_path / "renamed")
    monkeypatch.chdir(tmp_path / "renamed")
    codes = [play(command, StoppingWorkers)]
    while codes[-1] == 130:
        rename(NEW)
        capsys.readouterr()
        assert play(command, StoppingWorkers) == 2
        assert "it was renamed; write " in capsys.readouterr().err
        printed = shlex.split(shown()["command"])[1:]
        assert NEW.keys().isdisjoint(printed)
        codes.append(play(printed, StoppingWorkers))
        if codes[-1] == 130:
            rename(OLD)
            codes.append(play(command, StoppingWorkers))
    assert len(codes) > 4
    assert codes[-1] == ended
    if query(tmp_path / "renamed", "select 1 from bots where name = 'mybot'"):
        rename(NEW)
    assert query(tmp_path / "renamed", "select count(*) from runs") == [(1,)]
    assert query(tmp_path / "renamed", PAIRS) == pairs
    assert faults_of(tmp_path / "renamed") == []
    told = json.dumps(shown())
    for old, new in NEW.items():
        assert old not in told
        told = told.replace(new, old)
    now = json.loads(told)
    for document in (now, calm):
        document["bots"].sort(key=lambda bot: bot["name"])
        for each in ("started_at", "ended_at", "seconds"):
            document.pop(each, None)
    assert now == calm


@pytest.mark.very_slow
@pytest.mark.parametrize("name", ["tune", "bisect"])
def test_searches_know_their_own_bots_by_new_names(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those that a tuning or a bisection has stored may be renamed between its sessions: no bot is
    stored again, and the runs and the answer are those of an undisturbed search."""
    ends: list[Any] = []
    for workers in (InstantWorkers, StoppingWorkers):
        folder = tmp_path / workers.__name__
        folder.mkdir()
        if name == "bisect":
            made = made_once("player-history", lambda place: player_history(place / "repo"))
            shutil.copytree(made / "repo", folder, dirs_exist_ok=True)
        monkeypatch.chdir(folder)
        command = [*SEARCHES[name], *CONDITIONS, "--json"]
        capsys.readouterr()
        while play(command, workers) == 130:
            stored = query(folder, "select name from bots where name like '%@%' order by id")
            rename({old: f"zz{old}" for (old,) in stored if not old.startswith("zz")})
            capsys.readouterr()
        document = json.loads(capsys.readouterr().out.replace("zz", ""))
        document.pop("uncounted_games", None)  # pairs that were in play at the decision
        runs = "select kind, seed, target_games, status, verdict, note from runs order by id"
        steps = query(folder, "select step, a, b, pentanomial from tuning_steps")
        bots = query(folder, "select count(*) from bots")
        ends.append((document, query(folder, runs), steps, bots))
        assert faults_of(folder) == []
    assert query(folder, "select 1 from bots where name like 'zz%'")
    assert ends[0] == ends[1]
