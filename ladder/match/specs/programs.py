"""The programs and interpreters that a bot needs beyond its own files."""

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bots.errors import SpecError

VERSION_S = 10.0
"""How long a program may take to print its version."""
PYTHON = re.compile(r"(python|pypy)[-0-9.]*")
"""Names of Python interpreters."""
INTERPRETER = re.compile(
    r"(python|pypy|node|nodejs|deno|bun|ruby|perl|php|lua|luajit|java|dotnet|julia|Rscript|R|"
    r"guile|racket|tclsh|erl|escript|bash|dash|zsh|sh)[-0-9.]*(\.exe)?"
)
"""Names of programs that run source files."""
SOURCE = re.compile(r"\.(py|m?js|ts|rb|pl|php|lua|jar|jl|R|rkt|tcl|sh)$")
"""Endings of files that interpreters run."""
ENVIRONMENT = "pyvenv.cfg"
"""The file by which Python knows its own environments."""
UNKNOWN = "version unknown"
SECRETS = frozenset({"LADDER_DB", "PGPASSWORD"})
"""Variables that may contain a password of the database."""
ASK_PYTHON = "import sys; print(sys.executable); print(sys.version)"


def environment_without_secrets() -> dict[str, str]:
    """Return the environment of processes that prepare a bot: ours without `SECRETS`."""
    return {name: value for name, value in os.environ.items() if name not in SECRETS}


class Program(NamedTuple):
    """A program outside of a bot's files."""

    path: str
    version: str
    """The first line of what it prints when asked for its version, or `UNKNOWN`."""


def find_program(word: str, folder: Path) -> Program:
    """Return a program on PATH; `folder` serves for proposals in the message.

    Raises:
        SpecError: there is no such program.

    """
    found = shutil.which(word)
    if found is None:
        remedy = "write a path such as ./mybot"
        if (folder / f"{word}.py").is_file():
            remedy = f"did you mean python3 {word}.py?"
        elif (folder / Path(word).name).is_file():
            remedy = f"did you mean ./{Path(word).name}?"
        raise SpecError(f"{word!r} is neither a file in {folder} nor a program on PATH: {remedy}")
    return describe_program(os.path.abspath(found))


def describe_program(path: str) -> Program:
    """Return a program with its version."""
    lines = _read_output(path, "--version").strip().splitlines()
    return Program(path, lines[0] if lines else UNKNOWN)


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
    version = tuple(int(number) for number in lines[1].split()[0].rstrip("+").split(".")[:2])
    if version < (3, 8):
        number = lines[1].split()[0]
        raise SpecError(f"the interpreter {found} is Python {number}: choose 3.8 or later")
    return Program(lines[0], lines[1])


def locate(recorded: str, word: str | None) -> str:
    """Return the path of a program that was recorded when a bot was added.

    Args:
        recorded: its absolute path then.
        word: the name that is looked up on PATH if it is gone; None for no other program.

    Raises:
        SpecError: there is no such program.

    """
    if os.access(recorded, os.X_OK) and not os.path.isdir(recorded):
        return recorded
    found = None if word is None else shutil.which(word)
    if found is None:
        where = "there" if word is None else "there nor on PATH"
        neither = "is not" if word is None else "is neither"
        raise SpecError(
            f"its program {recorded} {neither} {where}: install it, or add the bot again with a "
            "program that this machine has"
        )
    return found


@cache
def _read_output(program: str, *words: str) -> str:
    """Return what a program prints on stdout, or else on stderr; "" if it cannot be run."""
    try:
        done = subprocess.run(
            [program, *words],
            capture_output=True,
            text=True,
            timeout=VERSION_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout or done.stderr
