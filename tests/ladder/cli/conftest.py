"""Commands run in the process of the tests, in a folder of their own."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ladder.cli.main import run_command
from ladder.runs.executor import Workforce


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
