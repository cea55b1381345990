"""The start of the program's processes, in a module whose name no other program has.

A folder on the import path may hold an `engine.py` or a package `db` of a user. This module imports
the program's packages from its own folder before anything else can, and leaves the path as it is.
``python -P -m connect4_ladder_start MODULE WORD...`` calls the `main` of one of its modules.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

PACKAGES = ("engine", "bots", "db", "ladder", "reports")

sys.path.insert(0, str(Path(__file__).resolve().parent))
try:
    for name in PACKAGES:
        import_module(name)
finally:
    del sys.path[0]


def call(module: str, function: str, *arguments: Any) -> Any:
    """Return the result of a function of the program, found by name in this process."""
    return getattr(import_module(module), function)(*arguments)


def main() -> None:
    """Run the command line."""
    call("ladder.cli.main", "main")


if __name__ == "__main__":
    del sys.argv[0]
    call(sys.argv[0], "main")
