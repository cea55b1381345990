"""Compiling beforehand."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from bots.catalogue import VERSIONS
from bots.warm import is_warm, main
from engine.cache import PACKAGES, ROOT, cache_folder


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
def test_another_checkout_of_equal_sources_is_warm(tmp_path: Path) -> None:
    """Stamps hold for copies of equal sources, as their machine code does."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package)
    code = "import sys; from bots.warm import is_warm; sys.exit(not is_warm(['v4']))"
    done = subprocess.run([sys.executable, "-B", "-c", code], cwd=tmp_path, check=False)
    assert done.returncode == 0


@pytest.mark.slow
def test_only_players_without_a_stamp_are_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process is started for the one player that is not compiled."""

    def printed() -> str:
        command = [sys.executable, "-m", "bots.warm"]
        return subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True).stderr

    compiled = cache_folder()
    monkeypatch.setenv("LADDER_CACHE", str(tmp_path))
    shutil.copytree(compiled, cache_folder())
    for stamp in (cache_folder() / "warm").glob("random-*"):
        stamp.unlink()
    assert not is_warm(["random"])
    (line,) = printed().splitlines()
    assert line.startswith("compiled bots.simple.players in ")
    assert line.endswith(": random")
    assert is_warm(["random"])
    assert printed() == ""


@pytest.mark.slow
def test_a_killed_compiler_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing compiles on for half a minute when its terminal is closed."""
    monkeypatch.setenv("LADDER_CACHE", str(tmp_path))
    with subprocess.Popen([sys.executable, "-m", "bots.warm", "c4ai"]) as compiler:
        process = psutil.Process(compiler.pid)
        while not (forks := process.children()):
            assert compiler.poll() is None
            time.sleep(0.02)
        compiler.kill()
    assert psutil.wait_procs(forks, timeout=10)[1] == []


def test_nothing_is_compiled_for_a_cache_that_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each process would have to compile for itself, on the clock of its game."""
    monkeypatch.setenv("LADDER_CACHE", "/proc/no-such-place")
    assert not is_warm(["v4"])
    assert main(["v44"]) == 2
    assert "v44" in capsys.readouterr().err
    assert main(["v4"]) == 1
    assert capsys.readouterr().err == (
        "compiled players cannot be stored in /proc/no-such-place: No such file or directory; "
        "set LADDER_CACHE to a folder that can be written\n"
    )
