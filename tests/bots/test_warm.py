"""Compiling beforehand."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bots.catalogue import VERSIONS
from bots.warm import is_warm, main
from engine.cache import PACKAGES, ROOT, cache_folder, is_shared


def test_all_players_are_compiled_after_warming() -> None:
    """The session's fixture has compiled all players, and `is_warm` loads no compiler."""
    assert is_warm(VERSIONS)
    assert is_warm(["v4?c=0.7"])
    code = (
        "import sys; from bots.warm import is_warm\n"
        "is_warm(['v4']); sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.slow
def test_another_checkout_is_warm_where_machine_code_is_shared(tmp_path: Path) -> None:
    """Stamps must hold for copies of equal sources exactly when their machine code does."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package)
    code = "import sys; from bots.warm import is_warm; sys.exit(not is_warm(['v4']))"
    done = subprocess.run([sys.executable, "-B", "-c", code], cwd=tmp_path, check=False)
    assert (done.returncode == 0) == is_shared()


def test_warming_again_starts_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process is started only if a player is not compiled."""
    started: list[list[str]] = []

    def run(command: list[str], **_: object) -> "subprocess.CompletedProcess[bytes]":
        started.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    assert main([]) == 0
    assert not started
    stamps = cache_folder() / "warm"
    monkeypatch.setenv("LADDER_CACHE", str(tmp_path))
    shutil.copytree(stamps, cache_folder() / "warm")
    for stamp in (cache_folder() / "warm").rglob("v4"):
        stamp.unlink()
    assert main([]) == 0
    assert [command[-1] for command in started] == ["v4"]


def test_a_cache_folder_that_cannot_be_written_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a writable cache nothing is compiled, and nothing fails."""
    monkeypatch.setenv("LADDER_CACHE", "/proc/no-such-place")
    assert not is_warm(["v4"])
    assert main(["v4"]) == 0


def test_an_unknown_player_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The command line answers with one sentence and status 2."""
    assert main(["v44"]) == 2
    assert "v44" in capsys.readouterr().err
