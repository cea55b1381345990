"""Stop commands at some hundred lines of their code, and check that nothing is lost.

    python -m benchmarks.stops --moments 300

A fault ends the program with an AssertionError that names the line's number.
"""

import argparse
import tempfile
from pathlib import Path

from tests.support.stops import COMMANDS, stopper, sweep


def main() -> None:
    """Print a row for each command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--moments", type=int, default=300, help="of each command")
    parser.add_argument("--only", choices=COMMANDS, help="one of the commands")
    options = parser.parse_args()
    for command in [options.only] if options.only else COMMANDS:
        with tempfile.TemporaryDirectory() as folder, stopper() as forks:
            found = sweep(forks, command, Path(folder), options.moments)
        print(
            f"{command:<8} {found.stopped} stopped, {found.finished} finished, none lost; "
            f"{found.slowest_s:.2f} s at worst",
            flush=True,
        )


if __name__ == "__main__":
    main()
