"""What an edit compiles: ``python -m benchmarks.kernel_edits [--root DIR] [--cache DIR] [EDIT]``.

Each edit is made in a copy of `engine` and `bots`, beside a cache that is warm for the unchanged
sources; then the copy compiles its players. Prints a Markdown table: kernels compiled for how many
signatures, and the processor time of all of it, with that of a start that has nothing to compile.

Args:
    --root: the checkout whose sources are edited, by default this one.
    --cache: a cache that is warm for these sources; by default one is made first.
    EDIT: words that a line of the table begins with or holds; by default all edits are made.

"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("engine", "bots")


class Edit(NamedTuple):
    """An edit of one source: a text is replaced, or added at the end if there is no old one."""

    what: str
    path: str
    old: str
    new: str
    modules: frozenset[str]
    """Modules whose kernels depend on it."""

    def apply(self, source: str) -> str:
        """Return the edited source."""
        if not self.old:
            return source + self.new
        assert self.old in source, (self.path, self.old)
        return source.replace(self.old, self.new, 1)


def _modules(names: str) -> frozenset[str]:
    return frozenset(names.split())


_FUNCTION = (
    '\n\ndef new_function(number: int) -> int:\n    """Return it."""\n    return number + 1\n'
)
_ON_UCB = _modules(
    "bots.uct.ucb bots.uct.array.search bots.uct.tree.memory bots.uct.tree.search "
    "bots.uct.no_lookahead.search bots.uct.graph.memory bots.uct.graph.search bots.learned.search"
)
_ON_LEAF = _modules(
    "bots.uct.tree.search bots.uct.no_lookahead.search bots.uct.graph.search bots.learned.search "
    "bots.learned.fit"
)
_ALL = _ON_UCB | _modules(
    "bots.alphabeta.search bots.array_board bots.c4ai.search bots.c4ai.threat_race "
    "bots.learned.fit bots.simple.sampling bots.uct.endgame engine.perft engine.solver.windows"
)
_NEW_ROW = """    Row(
        "uct-new",
        "uct-random",
        "a new idea",
        {"c": 0.7},
    ),
"""
EDITS = (
    Edit(
        "a docstring and a comment in `engine/board.py`",
        "engine/board.py",
        '"""Boards: ',
        '# A comment.\n"""Edited boards: ',
        _modules(""),
    ),
    Edit(
        "a new word in `engine/result.py`",
        "engine/result.py",
        "",
        '\nNEW_WORD = "adjourned"\n',
        _modules("engine.perft"),
    ),
    Edit(
        "a new function in `engine/position.py`",
        "engine/position.py",
        "",
        _FUNCTION,
        _modules("engine.perft"),
    ),
    Edit(
        "a constant of `bots/c4ai/evaluate.py`",
        "bots/c4ai/evaluate.py",
        "",
        "\nNEW_WEIGHT = 3\n",
        _modules("bots.c4ai.search"),
    ),
    Edit(
        "a function of `bots/c4ai/evaluate.py`",
        "bots/c4ai/evaluate.py",
        "value += weights[2]",
        "value = weights[2] + value",
        _modules("bots.c4ai.search"),
    ),
    Edit("`bots/uct/ucb.py`", "bots/uct/ucb.py", "", _FUNCTION, _ON_UCB),
    Edit("`bots/uct/leaf.py`", "bots/uct/leaf.py", "", _FUNCTION, _ON_LEAF),
    Edit("`bots/catalogue.py`", "bots/catalogue.py", "", _FUNCTION, _modules("")),
    Edit(
        "a new row in `bots/uct/versions.py`",
        "bots/uct/versions.py",
        '    Row(\n        "uct-seven",',
        _NEW_ROW + '    Row(\n        "uct-seven",',
        _modules(""),
    ),
    Edit("`engine/solver/value.py`", "engine/solver/value.py", "", _FUNCTION, _modules("")),
    Edit("`bots/uct/player.py`", "bots/uct/player.py", "", _FUNCTION, _modules("")),
    Edit("a constant in `engine/bits.py`", "engine/bits.py", "", "\nNEW_BITS = 3\n", _ALL),
)
"""Edits and the modules whose kernels they compile, which a test expects."""


def copy_sources(root: Path, target: Path) -> None:
    """Copy the packages with kernels."""
    for package in PACKAGES:
        shutil.copytree(
            root / package, target / package, ignore=shutil.ignore_patterns("__pycache__")
        )


def warm(sources: Path, cache: Path) -> float:
    """Compile the players of a copy; return the processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "LADDER_CACHE": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(
        [sys.executable, "-m", "bots.warm"],
        cwd=sources,
        check=True,
        env=environment,
        stderr=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def kernels(cache: Path) -> set[Path]:
    """Return the files of machine code in a cache."""
    return set(cache.rglob("*.nbc"))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("edits", nargs="*", metavar="EDIT")
    given = parser.parse_args()
    edits = [one for one in EDITS if not given.edits or any(w in one.what for w in given.edits)]
    with tempfile.TemporaryDirectory() as folder:
        unchanged, cache = Path(folder, "unchanged"), Path(folder, "cache")
        copy_sources(given.root, unchanged)
        print("| edit | kernels compiled | processor seconds |\n|---|---|---|")
        if given.cache is not None:
            shutil.copytree(given.cache, cache)
        before = kernels(cache)
        seconds = warm(unchanged, cache)
        print(f"| none, first start | {len(kernels(cache) - before)} | {seconds:.1f} |", flush=True)
        for number, edit in enumerate(edits):
            sources, copied = Path(folder, f"{number}"), Path(folder, f"cache-{number}")
            copy_sources(unchanged, sources)
            file = sources / edit.path
            file.write_text(edit.apply(file.read_text()))
            shutil.copytree(cache, copied)
            before = len(kernels(copied))
            seconds = warm(sources, copied)
            print(f"| {edit.what} | {len(kernels(copied)) - before} | {seconds:.1f} |", flush=True)
            shutil.rmtree(copied)


if __name__ == "__main__":
    main()
