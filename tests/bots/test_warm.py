"""Compiling beforehand."""

import subprocess
import sys
from pathlib import Path

import pytest

from bots import warm as warming
from bots.catalogue import VERSIONS
from bots.warm import is_warm, main
from engine import cache


def test_everything_is_warm_after_warming() -> None:
    """The session's fixture has compiled all players, and `is_warm` loads no compiler."""
    assert is_warm(VERSIONS)
    assert is_warm(["v4?c=0.7"])
    code = (
        "import sys; from bots.warm import is_warm\n"
        "is_warm(['v4']); sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("shared", [True, False])
def test_another_checkout_is_warm_where_machine_code_is_shared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: bool
) -> None:
    """Stamps must hold for copies of equal sources exactly when their machine code does."""
    monkeypatch.setattr(warming, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(warming, "is_shared", lambda: shared)
    warming._stamp(tmp_path, "v4").parent.mkdir(parents=True)
    warming._stamp(tmp_path, "v4").touch()
    assert is_warm(["v4"])
    monkeypatch.setattr(warming, "ROOT", tmp_path)
    assert is_warm(["v4"]) is shared


def test_warming_again_starts_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process is started only if a player is not compiled."""
    started: list[list[str]] = []

    def run(command: list[str], **_: object) -> "subprocess.CompletedProcess[bytes]":
        started.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    assert main([]) == 0
    assert not started
    stamp = warming._stamp
    monkeypatch.setattr(
        warming, "_stamp", lambda folder, name: stamp(folder, "none" if name == "v4" else name)
    )
    assert main([]) == 0
    assert [command[-1] for command in started] == ["v4"]


def test_a_folder_that_cannot_be_written_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a writable cache nothing is compiled, and nothing fails."""
    monkeypatch.setenv("LADDER_CACHE", "/proc/no-such-place")
    assert not is_warm(["v4"])
    assert main(["v4"]) == 0


def test_an_unknown_player_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The command line answers with one sentence and status 2."""
    assert main(["v44"]) == 2
    assert "v44" in capsys.readouterr().err


def test_the_cache_moves_with_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit of any source of engine or bots names another folder."""
    for package in ("engine", "bots"):
        (tmp_path / package).mkdir()
    source = tmp_path / "engine" / "a.py"
    source.write_text("x = 1\n")
    monkeypatch.setattr(cache, "ROOT", tmp_path)
    cache.source_fingerprint.cache_clear()
    before = cache.cache_folder()
    source.write_text("x = 2\n")
    cache.source_fingerprint.cache_clear()
    assert cache.cache_folder() != before
    monkeypatch.undo()
    cache.source_fingerprint.cache_clear()
