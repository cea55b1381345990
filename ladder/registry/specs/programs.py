"""Programs: what their names and contents mean, and those outside of a bot's files."""

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bots.errors import SpecError

PYTHON = re.compile(r"(python|pypy)[-0-9.]*")
"""Names of Python interpreters."""
INTERPRETER = re.compile(
    r"(python|pypy|node|nodejs|deno|bun|ruby|perl|php|lua|luajit|java|dotnet|julia|Rscript|R|"
    r"guile|racket|tclsh|erl|escript|bash|dash|zsh|sh)[-0-9.]*(\.exe)?"
)
"""Names of programs that run source files."""
SOURCE = re.compile(r"\.(py|m?js|ts|rb|pl|php|lua|jar|jl|R|rkt|tcl|sh)$")
"""Endings of files that interpreters run."""
ANSWER_S = 10.0
"""How long a program may take to print its version, or an interpreter its packages."""
UNKNOWN = "version unknown"
ASK_PYTHON = "import sys; print(sys.executable); print(sys.version)"
ASK_PACKAGES = (
    "import sys, importlib.util as u; del sys.path[0]; "
    "print(*[name for name in sys.argv[1:] if u.find_spec(name)])"
)
"""Prints which modules are installed; without the current folder."""


class Program(NamedTuple):
    """A program outside of a bot's files."""

    path: str
    version: str
    """The first line of what it prints when asked for its version, or `UNKNOWN`."""


def find_program(word: str, folder: Path) -> Program:
    """Return a program by its path, which is relative to a folder, or by its name on PATH.

    Raises:
        SpecError: there is no such program on PATH.

    """
    path = os.path.normpath(folder / word) if "/" in word else shutil.which(word)
    if path is None:
        remedy = "write a path such as ./mybot"
        if (folder / f"{word}.py").is_file():
            remedy = f"did you mean python3 {word}.py?"
        elif (folder / word).is_file():
            remedy = f"did you mean ./{word}?"
        raise SpecError(f"{word!r} is not a program on PATH: {remedy}")
    lines = _read_output(path, "--version").strip().splitlines()
    return Program(os.path.abspath(path), lines[0] if lines else UNKNOWN)


def find_interpreter(python: str | None, folder: Path) -> Program:
    """Find the Python interpreter that hosts a bot.

    Args:
        python: a program or a path, relative to the folder; None: python3 on PATH.
        folder: the bot's folder.

    Returns:
        The interpreter itself, even if it was found through a shim.

    Raises:
        SpecError: it cannot be started, or is older than 3.8.

    """
    word = python or "python3"
    path = folder / word
    found = str(path) if path.is_file() else shutil.which(word)
    if found is None:
        raise SpecError(f"the interpreter {word!r} is neither a file nor a program on PATH")
    # Not the path of a shim: a shim reads its settings from HOME, which a bot does not have.
    lines = _read_output(found, "-c", ASK_PYTHON).splitlines()
    if len(lines) < 2 or not lines[0]:
        raise SpecError(f"{found} is not a Python interpreter: it did not report its version")
    number = lines[1].split()[0].rstrip("+")
    if tuple(map(int, number.split(".")[:2])) < (3, 8):
        raise SpecError(f"the interpreter {found} is Python {number}: choose 3.8 or later")
    return Program(lines[0], lines[1])


def installed_modules(python: str, names: frozenset[str]) -> frozenset[str]:
    """Return which modules an interpreter finds in its library or among its packages."""
    return frozenset(_read_output(python, "-c", ASK_PACKAGES, *sorted(names)).split())


@cache
def _read_output(program: str, *words: str) -> str:
    """Return what a program prints on stdout, or else on stderr; "" if it cannot be run."""
    try:
        done = subprocess.run(
            [program, *words],
            capture_output=True,
            text=True,
            timeout=ANSWER_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout or done.stderr


def is_compiled(path: Path) -> bool:
    """Return whether a file is a program or library in machine code."""
    return first_line(path).startswith(b"\x7fELF")


def first_line(path: Path) -> bytes:
    """Return the beginning of a file, at most 200 bytes of its first line."""
    with path.open("rb") as file:
        return file.readline(200)
