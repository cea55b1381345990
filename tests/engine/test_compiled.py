"""The cache of machine code: its validity and its place."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine import cache

SOURCES = {
    "helper": """
from engine.compiled import inlined

@inlined
def helper():
    return 1
""",
    "constant": "AMOUNT, UNUSED = 10, 0\n",
    "layout": """
from engine.compiled import inlined

@inlined
def scale():
    return 100
""",
    "factory": """
from engine.compiled import inlined

def made_on(layout):
    @inlined
    def made():
        return layout.scale() * 1

    return made

def closed(value):
    @inlined
    def closing():
        return value

    return closing
""",
    "closure": "VALUE = 1000\n",
    "fields": """
from typing import NamedTuple

class Pair(NamedTuple):
    low: int
    high: int
""",
    "first": "PART = 100_000\n",
    "second": "PART = 200_000\n",
    "chosen": "from engine.first import PART\n",
    "ours": """
from engine import layout
from engine.chosen import PART
from engine.closure import VALUE
from engine.compiled import kernel
from engine.constant import AMOUNT
from engine.factory import closed, made_on
from engine.fields import Pair
from engine.helper import helper

made, closing = made_on(layout), closed(VALUE)

@kernel
def add(pair: Pair, loose):
    return helper() + AMOUNT + made() + closing() + pair.low + PART + loose.low
""",
    "asking": """
from typing import NamedTuple

from engine.fields import Pair
from engine.ours import add

class Loose(NamedTuple):
    low: int
    high: int

def ask():
    return add(Pair(10_000, 20_000), Loose(1_000_000, 2_000_000))
""",
}
"""Modules of a package with one kernel, whose answer has a digit for each that it depends on."""

ANSWER = 1_111_111
EDITS = {
    "a helper": ("helper", "return 1", "return 2", 1_111_112),
    "a constant": ("constant", "10,", "20,", 1_111_121),
    "a layout's function": ("layout", "100", "200", 1_111_211),
    "a factory's function": ("factory", "* 1", "* 3", 1_111_311),
    "a closure's value": ("closure", "1000", "2000", 1_112_111),
    "a field of a named tuple": ("fields", "low: int\n    high", "high: int\n    low", 1_121_111),
    "an import": ("chosen", "first", "second", 1_211_111),
    "a field that only the caller knows": (
        "asking",
        "low: int\n    high",
        "high: int\n    low",
        2_111_111,
    ),
}
"""Edits of a module: what is replaced, by what, and the kernel's new answer."""
HARMLESS = {
    "helper": (
        "def helper():",
        'def helper() -> "int":\n    """Return one."""  # a comment\n    pass',
    ),
    "constant": ("AMOUNT, UNUSED = 10, 0", '"""Docs."""\nAMOUNT, UNUSED = 10, 0\n"""More."""'),
    "ours": ("def add(pair: Pair, loose):", 'def add(pair, loose: Pair):\n    """Add."""'),
    "asking": ("def ask():", "SOMETHING = 5\n\ndef ask():"),
}
"""Edits that no machine code depends on, which move lines, too."""


def make_sources(folder: Path) -> Path:
    """Create a folder with this project's decorators and a package with a kernel."""
    (folder / "engine").mkdir()
    (folder / "bots").mkdir()
    for name in ("__init__", "cache", "code_cache", "compiled", "kernel_keys", "whole_file"):
        shutil.copy(cache.ROOT / "engine" / f"{name}.py", folder / "engine")
    for name, text in SOURCES.items():
        (folder / "engine" / f"{name}.py").write_text(text)
    return folder


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Return such a folder."""
    return make_sources(tmp_path)


def edit(sources: Path, module: str, old: str, new: str) -> None:
    """Replace a text in a module."""
    file = sources / "engine" / f"{module}.py"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


ANSWERS = """
import json, os, sys
import numba
numba.njit(lambda: 1)()
for line in sys.stdin:
    sources, folder = json.loads(line)
    if not os.fork():
        os.environ["LADDER_CACHE"] = folder
        numba.core.config.reload_config()
        os.chdir(sources)
        sys.path.insert(0, sources)
        sys.dont_write_bytecode = True  # two edits within a second must both be seen
        try:
            from engine.asking import add, ask
            print(ask(), "loaded" if sum(add.stats.cache_hits.values()) else "compiled", flush=True)
        except TypeError as error:
            print(error, flush=True)
        os._exit(0)
    if os.wait()[1]:
        print("failed", flush=True)
"""
"""A process that has loaded numba, but nothing of this project, and forks for every question."""

Ask = Callable[[Path, Path], str]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """Return a function that runs a kernel in a new process, with whether it was cached."""
    with subprocess.Popen(
        [sys.executable, "-c", ANSWERS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def asked(sources: Path, folder: Path) -> str:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps([str(sources), str(folder)]) + "\n")
            process.stdin.flush()
            return process.stdout.readline().strip()

        yield asked


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory, ask: Ask) -> Path:
    """Return a cache that holds the kernel of the unchanged sources."""
    folder = tmp_path_factory.mktemp("compiled")
    assert ask(make_sources(tmp_path_factory.mktemp("sources")), folder) == f"{ANSWER} compiled"
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("what", EDITS)
def test_an_edit_never_runs_old_code(sources: Path, compiled: Path, ask: Ask, what: str) -> None:
    """After an edit of anything that a kernel depends on, its answer is the new one.

    numba's own cache would run the old code.
    """
    module, old, new, answer = EDITS[what]
    edit(sources, module, old, new)
    assert ask(sources, compiled) == f"{answer} compiled"


@pytest.mark.slow
def test_a_harmless_edit_compiles_nothing(sources: Path, compiled: Path, ask: Ask) -> None:
    """Docstrings, comments, annotations, moved lines and a caller's code need no compilation."""
    for module, (old, new) in HARMLESS.items():
        edit(sources, module, old, new)
    assert ask(sources, compiled) == f"{ANSWER} loaded"


@pytest.mark.slow
def test_a_cache_may_be_read_only(sources: Path, compiled: Path, ask: Ask, tmp_path: Path) -> None:
    """Machine code is loaded where nothing can be written, not even the table of keys."""
    folder = tmp_path / "caches"
    shutil.copytree(compiled, folder)
    (kernels,) = folder.glob("numba/*/kernels")
    # Permissions do not stop the superuser; a file in the place of a folder does.
    shutil.rmtree(kernels.parent / "keys")
    (kernels.parent / "keys").write_text("no folder")
    before = sorted(folder.rglob("*"))
    assert ask(sources, folder) == f"{ANSWER} loaded"
    assert sorted(folder.rglob("*")) == before


@pytest.mark.slow
def test_without_a_writable_folder_nothing_is_kept(sources: Path, ask: Ask) -> None:
    """An unusable cache folder costs a compilation every time, and never gives old answers."""
    file = sources / "a-file"
    file.write_text("no folder")
    for answer in (ANSWER, ANSWER + 1):
        assert ask(sources, file) == f"{answer} compiled"
        (sources / "engine" / "helper.py").write_text(SOURCES["helper"].replace("1", "2"))
    assert not list(sources.rglob("*.nbi"))


@pytest.mark.slow
def test_two_kernels_of_one_name_are_refused(sources: Path, compiled: Path, ask: Ask) -> None:
    """The machine code of one would replace that of the other, whose line is in no name."""
    with (sources / "engine" / "ours.py").open("a") as file:
        file.write("\n@kernel\ndef add(other):\n    return other\n")
    assert ask(sources, compiled) == (
        "two kernels of engine.ours are called add: their machine code would have one place; "
        "rename one"
    )


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
    assert cache.machine() in folder.name
