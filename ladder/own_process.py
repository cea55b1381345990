"""Processes of this program in an interpreter of their own."""

import sys

START = "connect4_ladder_start"
"""The module that finds this program's packages even where a user's modules have their names."""


def own_command(module: str) -> tuple[str, ...]:
    """Return the command that calls the function `main` of a module of this program.

    -P keeps the current folder off the import path.
    """
    return (sys.executable, "-P", "-m", START, module)
