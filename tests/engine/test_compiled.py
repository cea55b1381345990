"""The cache of machine code: its validity and its place."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine import cache

CALLEE = """
from numba import njit

@njit
def answer():
    return {answer}
"""

KERNEL_CALLER = """
from engine.compiled import kernel
from engine.callee import answer

@kernel
def ask():
    return answer()
"""


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Create a folder with this project's decorators and a kernel that calls another file."""
    package = tmp_path / "engine"
    package.mkdir()
    (tmp_path / "bots").mkdir()
    here = cache.ROOT / "engine"
    for name in ("__init__.py", "cache.py", "compiled.py"):
        shutil.copy(here / name, package / name)
    (package / "ours.py").write_text(KERNEL_CALLER)
    return tmp_path


ANSWERS = """
import json, os, sys
import numba
for line in sys.stdin:
    sources, folder = json.loads(line)
    if not os.fork():
        os.environ["LADDER_CACHE"] = folder
        numba.core.config.reload_config()
        os.chdir(sources)
        sys.path.insert(0, sources)
        sys.dont_write_bytecode = True  # two edits within a second must both be seen
        from engine.ours import ask
        print(ask(), "loaded" if sum(ask.stats.cache_hits.values()) else "compiled", flush=True)
        os._exit(0)
    if os.wait()[1]:
        print("failed", flush=True)
"""
"""A process that has loaded numba, but nothing of this project, and forks for every question."""

Ask = Callable[..., str]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """Return a function that runs a kernel in a new process, with whether it was cached."""
    with subprocess.Popen(
        [sys.executable, "-c", ANSWERS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def asked(sources: Path, folder: str) -> str:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps([str(sources), str(sources / folder)]) + "\n")
            process.stdin.flush()
            return process.stdout.readline().strip()

        yield asked


@pytest.mark.slow
def test_a_copy_of_the_sources_shares_their_machine_code(
    sources: Path, tmp_path: Path, ask: Ask
) -> None:
    """Equal sources elsewhere find what was compiled; after an edit of a called function none do.

    numba's own cache would run the old code then.
    """
    (sources / "engine" / "callee.py").write_text(CALLEE.format(answer=1))
    caches = str(tmp_path / "caches")
    assert ask(sources, caches) == "1 compiled"
    copy = tmp_path / "elsewhere" / "copy"
    for package in ("engine", "bots"):
        shutil.copytree(sources / package, copy / package, copy_function=shutil.copyfile)
    assert ask(copy, caches) == "1 loaded"
    (copy / "engine" / "callee.py").write_text(CALLEE.format(answer=2))
    assert ask(copy, caches) == "2 compiled"
    assert ask(sources, caches) == "1 loaded"


@pytest.mark.slow
def test_without_a_writable_folder_nothing_is_kept(sources: Path, ask: Ask) -> None:
    """An unusable cache folder costs a compilation every time, and never gives old answers."""
    (sources / "a-file").write_text("no folder")
    callee = sources / "engine" / "callee.py"
    for answer in (1, 2):
        callee.write_text(CALLEE.format(answer=answer))
        assert ask(sources, "a-file") == f"{answer} compiled"
    assert not list(sources.rglob("*.nbi"))


def test_the_fingerprint_sees_every_source(sources: Path) -> None:
    """An edit, a new file and a new name in `engine` or `bots` change it; other files do not."""
    code = "from engine.cache import source_fingerprint; print(source_fingerprint())"

    def fingerprint() -> str:
        command = [sys.executable, "-B", "-c", code]
        return subprocess.run(command, cwd=sources, check=True, capture_output=True).stdout.decode()

    seen = {fingerprint()}
    (sources / "bots" / "notes.txt").write_text("no source")
    (sources / "elsewhere.py").write_text("x = 1")
    assert fingerprint() in seen
    (sources / "bots" / "deep").mkdir()
    (sources / "bots" / "deep" / "idea.py").write_text("x = 1")
    seen.add(fingerprint())
    (sources / "bots" / "deep" / "idea.py").write_text("x = 2")
    seen.add(fingerprint())
    (sources / "bots" / "deep" / "idea.py").rename(sources / "bots" / "deep" / "thought.py")
    seen.add(fingerprint())
    assert len(seen) == 4


def test_the_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """`LADDER_CACHE` comes before the user's cache folder, and versions and CPU are in the path."""
    monkeypatch.setenv("LADDER_CACHE", "/given")
    assert cache.cache_folder().is_relative_to("/given/numba")
    monkeypatch.delenv("LADDER_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    folder = cache.cache_folder()
    assert folder.is_relative_to("/xdg/connect4-ladder/numba")
    assert folder.name == cache.source_fingerprint()
    assert cache.machine() in folder.parent.name
