"""Kill commands at random moments, repeat them, and compare them with undisturbed twins.

    python -m benchmarks.twins --rounds 20 --kills 5

In each round a command is killed by SIGKILL up to so many times, every second round with its whole
process group, and repeated until it ends. Prints a row for each command; a difference ends the
program with an AssertionError.
"""

import argparse
import os
import random
import tempfile
from pathlib import Path
from statistics import median

from tests.end_to_end.conftest import SERVER
from tests.end_to_end.twins import EXPERIMENTS, Twins, differences
from tests.support.shared import VARIABLE


def main() -> None:
    """Print a row for each command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20, help="of each command")
    parser.add_argument("--kills", type=int, default=5, help="in each round, at most")
    parser.add_argument("--seed", type=int, default=1, help="of the random moments")
    parser.add_argument("--only", choices=list(EXPERIMENTS), help="one of the commands")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        os.environ[VARIABLE] = folder
        for name, experiment in EXPERIMENTS.items():
            if options.only in (None, name):
                twins = Twins(experiment, place / name, random.Random(options.seed))
                quiet = twins.undisturbed()
                for number in range(options.rounds):
                    found = twins.disturbed(
                        options.kills, group=number % 2 == 1, printed=number % 4 > 1
                    )
                    different = differences(quiet, found, experiment)
                    assert not different, f"{name}, round {number}: {different}"
                print(
                    f"{name:<10} {twins.quiet_s:.1f} s undisturbed; {options.rounds} rounds, "
                    f"{twins.kills} kills, no difference; all gone after "
                    f"{median(twins.gone_s):.2f} s in the median, {max(twins.gone_s):.2f} s at "
                    "worst",
                    flush=True,
                )
    SERVER.close()


if __name__ == "__main__":
    main()
