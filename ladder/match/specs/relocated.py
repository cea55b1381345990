"""Bots whose files were sent here from the machine where they were registered."""

import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from bots.errors import SpecError
from db.records.launch import Launch
from ladder.errors import UsageError
from ladder.match.specs.fingerprint import find_interpreter, is_same_program, select_programs
from ladder.match.specs.git_copies import FILES, complete_copy
from ladder.match.specs.git_spec import resolve_in_copy
from ladder.match.specs.spec import ResolvedBot, read_spec


def resolve_relocated(
    spec: str, launch: Launch, files: Mapping[str, str], folder: Path
) -> ResolvedBot:
    """Resolve the specification of a registered bot in another copy of its files.

    Args:
        spec: the specification.
        launch: the stored launch, with folders of the other machine.
        files: the stored files and programs with their hashes.
        folder: the folder of the unpacked archive of its files.

    Raises:
        SpecError: a file or program is missing.
        UsageError: no interpreter here has the version of the bot's.

    """
    python, registered = python_here(launch, files), select_programs(files)
    if launch.origin is not None:
        complete_copy(folder)
        origin = msgspec.structs.replace(launch.origin, place=str(folder))
        return resolve_in_copy(spec, origin, python=python, remote_programs=registered)
    return read_spec(spec, folder / FILES, python=python, stored=files, remote_programs=registered)


def python_here(launch: Launch, files: Mapping[str, str]) -> str | None:
    """Return the interpreter that hosts a bot on this machine; None if it needs none.

    It is the first of the stored one, this process's own, and python3 on PATH that has the same
    version as the stored one.

    Raises:
        UsageError: no interpreter has that version, and the user did not choose one.

    """
    stored = launch.python
    if stored is None or launch.is_python_chosen is True or launch.player is not None:
        return stored
    wanted = (stored, files[stored])
    others = []
    for word in (stored, sys.executable, "python3"):
        try:
            found = find_interpreter(word, Path())
        except SpecError:
            continue
        if is_same_program(wanted, found):
            return found.path
        others.append(f"{found.path} is {found.version.split()[0]}")
    raise UsageError(
        f"it was registered with Python {wanted[1].split()[0]}, and here "
        f"{' and '.join(dict.fromkeys(others))}: start `ladder worker` in an "
        "environment with that version, or register it with an interpreter that all machines "
        "have (`ladder bots add NAME SPEC --python PYTHON`)"
    )
