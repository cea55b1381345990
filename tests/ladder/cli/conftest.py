"""Commands run in the process of the tests, in a folder of their own."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from db.records.runs import RunKind
from engine.result import Termination
from ladder.cli.main import run_command
from ladder.runs.executor import Workforce
from tests.support.data.league import Game, League


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


Command = Callable[..., Done]


@pytest.fixture
def ladder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Return a function that runs `ladder` with words, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LADDER_DB", raising=False)

    def run(*words: object, workforce: Workforce | None = None) -> Done:
        capsys.readouterr()
        code = run_command([str(word) for word in words], workforce)
        return Done(code, *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs: a beats b but once, b and c draw, c forfeits; a match is not rated."""
    path = tmp_path_factory.mktemp("games") / "ladder.db"
    with League(path, "a", "b", "c", "d") as league:
        run = league.run()
        league.pairs(run, "a", "b", 5, "1-0", "0-1")  # games 1 to 10: a wins all
        league.pair(run, "a", "b", "0-1", "0-1")  # 11: b wins, 12: a wins
        league.pairs(run, "b", "c", 2, "1/2", "1/2")  # 13 to 16
        league.pair(run, "c", "b", Game("0-1", Termination.TIMEOUT), "1-0")  # 17, 18: b wins
        match = league.run(kind=RunKind.MATCH)
        league.pair(match, "a", "c", "1-0", "1-0")  # 19: a wins, 20: c wins
    return path
