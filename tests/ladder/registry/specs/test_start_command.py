"""Compiling players: which need it, and what fails."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bots import golden
from bots.protocol import Budget
from db.records.launch import Start
from db.records.pairs import Entrant
from engine.cache import ROOT
from ladder.errors import UsageError
from ladder.registry.specs.start_command import (
    builtin_launch,
    compile_players,
    host_command,
    make_start,
    own_sources,
)


def entrant(folder: Path, compiler: str) -> Entrant:
    """Return a player of a copy whose compiler runs these lines of Python."""
    (folder / "bots").mkdir()
    (folder / "bots" / "__init__.py").touch()
    (folder / "bots" / "warm.py").write_text(compiler)
    environment = (("PYTHONPATH", str(folder)),)
    start = Start(host_command("bots.host"), str(folder), environment=environment)
    return Entrant(1, "old", start, Budget(simulations=1), player="v1")


def test_a_revision_that_cannot_be_compiled_is_named(tmp_path: Path) -> None:
    """Its sources may need other dependencies than those installed now."""
    with pytest.raises(UsageError, match=r"compiling v1 of .* failed"):
        compile_players([entrant(tmp_path, "raise SystemExit(1)")])


def memory_of_children() -> int:
    """Return a number that grows with every process that was started and has ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt


def test_compiled_players_need_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stamps mark the compiled players of the current sources; others need a cache."""
    ours = Entrant(1, "ours", make_start(builtin_launch("v4")), Budget(simulations=1), player="v4")
    compile_players([ours])
    assert golden.check(["v4"])
    before = memory_of_children()
    compile_players([ours])
    assert memory_of_children() == before
    monkeypatch.setenv("LADDER_CACHE", "/proc/no-such-place")
    with pytest.raises(
        UsageError, match="compiled players cannot be stored in /proc/no-such-place"
    ):
        compile_players([ours])


def ladder_of(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command line of a copy of the sources, with a cache of its own."""
    environment = {**os.environ, "PYTHONPATH": str(root), "LADDER_CACHE": str(root / "cache")}
    program = "from ladder.cli.main import main; main()"
    command = [sys.executable, "-P", "-c", program, *words, "--db", str(root / "x.db")]
    return subprocess.run(
        command, cwd=root, env=environment, check=False, capture_output=True, text=True
    )


@pytest.mark.very_slow
def test_a_player_that_decides_otherwise_is_refused(tmp_path: Path) -> None:
    """Edited sources replay the golden games of players that take part."""
    for package in ("engine", "bots", "db", "ladder", "reports"):
        shutil.copytree(ROOT / package, tmp_path / package)
    shutil.copy(ROOT / "connect4_ladder_start.py", tmp_path)
    players = tmp_path / "bots/simple/players.py"
    text = players.read_text()
    edited = text.replace("legal_moves()[0]", "legal_moves()[-1]")
    assert edited != text
    players.write_text(edited)
    games = ("--games", "2", "--boards", "4x4", "--simulations", "1", "--concurrency", "1")
    refused = ladder_of(tmp_path, "match", "stupid", "random", *games)
    assert refused.returncode == 2
    message = "stupid decides otherwise than its behaviour 1: raise it or undo the change"
    assert message in refused.stderr
    table = tmp_path / "bots/simple/versions.py"
    table.write_text(
        table.read_text().replace('("any",),\n', '("any",),\n        behaviour=2,\n', 1)
    )
    raised = ladder_of(tmp_path, "match", "stupid", "random", *games)
    assert (raised.returncode, raised.stderr.count("stupid has a new revision")) == (0, 1)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small working tree beside an empty cache."""
    tree = tmp_path / "tree"
    for name in ("engine/board.py", "bots/uct/player.py", "bots/weights.csv"):
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name} as it was\n")
    monkeypatch.setenv("LADDER_CACHE", str(tmp_path / "cache"))
    return tree


def test_an_edit_does_not_reach_the_copy(tree: Path) -> None:
    """A process plays from its first copy until it ends, data files included."""
    own = own_sources(tree)
    (tree / "bots/weights.csv").write_text("edited\n")
    assert own_sources(tree) == own
    assert (own.root / "bots/weights.csv").read_text() == "bots/weights.csv as it was\n"
    own_sources.cache_clear()  # as in the next process
    assert (own_sources(tree).root / "bots/weights.csv").read_text() == "edited\n"


def test_without_a_copy_nothing_plays(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts of the working tree would mix old and new code."""
    monkeypatch.setenv("LADDER_CACHE", "/proc/nosuch")
    with pytest.raises(UsageError, match="LADDER_CACHE"):
        own_sources(tree)
