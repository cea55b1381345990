"""The command line with little memory left, as under a small `ulimit -v`."""

import os
import resource

SPARE_MIB = "TESTS_SPARE_MIB"
"""The variable with the memory that the command may map beyond what it has mapped."""


def main() -> None:
    from ladder.cli.main import main as run

    with open("/proc/self/statm") as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    limit = mapped + (int(os.environ[SPARE_MIB]) << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    run()
