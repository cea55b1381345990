"""Every version plays its golden games."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from bots import golden
from bots.catalogue import VERSIONS
from engine.cache import ROOT


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    """Return a copy of the golden games to record in."""
    golden.recorded.cache_clear()
    copy = tmp_path / "golden.json"
    copy.write_bytes(golden.FILE.read_bytes())
    yield copy
    golden.recorded.cache_clear()


def edit(file: Path, name: str, **changes: object) -> bytes:
    """Change an entry as if it had been recorded otherwise; return the file's content."""
    games = dict(golden.recorded(golden.FILE))
    games[name] = msgspec.structs.replace(games[name], **changes)
    file.write_bytes(msgspec.json.format(msgspec.json.encode(games), indent=1) + b"\n")
    golden.recorded.cache_clear()
    return file.read_bytes()


def test_every_version_is_recorded() -> None:
    """A version of a release has golden games at its behaviour."""
    assert [name for name, version in VERSIONS.items() if not golden.is_recorded(version)] == []
    assert list(golden.recorded()) == list(VERSIONS)


@pytest.mark.slow
@pytest.mark.parametrize("name", VERSIONS)
def test_moves_and_statistics_are_the_recorded_ones(name: str) -> None:
    """Every column and statistic is the recorded one, on this machine as on any other."""
    assert golden.play_golden(VERSIONS[name]) == golden.recorded()[name].games


@pytest.mark.exhaustive
def test_a_processor_without_vector_instructions_decides_alike(tmp_path: Path) -> None:
    """Code for any processor of this architecture, without AVX, gives the same golden games."""
    names = ("v24", "v17", "v10", "ab5", "c4ai", "exact")
    environment = {
        **os.environ,
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        "LADDER_CACHE": str(tmp_path),
    }
    command = [sys.executable, "-m", "bots.golden", "check", *names]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    assert len(list(tmp_path.glob("numba/*/golden/*"))) == len(names)


def test_recording_again_changes_nothing(file: Path) -> None:
    """The named version alone is played, and it decides as recorded."""
    before = file.read_bytes()
    assert golden.record(["random"], file) == []
    assert file.read_bytes() == before


def test_changed_games_of_an_unchanged_number_are_not_recorded(file: Path) -> None:
    """A change must be declared: raised numbers are recorded, others refused."""
    before = edit(file, "random", games={"6x7": "other"})
    assert golden.record(["random", "stupid"], file) == [
        "random decides otherwise than its behaviour 1: raise it or undo the change"
    ]
    assert file.read_bytes() == before
    edit(file, "random", games={"6x7": "other"}, behaviour=0)
    assert golden.record(["random"], file) == []
    assert file.read_bytes() == golden.FILE.read_bytes()


def test_the_command_refuses_what_is_not_a_version(capsys: pytest.CaptureFixture[str]) -> None:
    """It writes nothing then, and ends with one sentence."""
    for command in ("record", "check"):
        assert golden.main([command, "v44"]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "v44" in line
    assert golden.main([]) == 2
    assert "python -m bots.golden record" in capsys.readouterr().err


def test_a_version_without_golden_games_does_not_decide_otherwise() -> None:
    """A version that is being worked on may change with each edit."""
    assert not golden.decides_otherwise(replace(VERSIONS["random"], behaviour=2))
