"""The entry point: signals and errors become one sentence and an exit code.

It imports next to nothing, so that a Ctrl-C finds somebody who serves it from the first moment.
"""

import os
import sys
from typing import Any

from ladder.signals import (
    block_signals,
    interrupt_on_signals,
)


def main() -> None:
    """Run the command line and exit with its code."""
    interrupt_on_signals()
    # Threads of linear algebra are slower than none on matrices as small as ours, and would take
    # the CPUs from bots that think. It is read when the library is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        code = run_command(sys.argv[1:])
    except KeyboardInterrupt:
        # While something was imported or said: everywhere else `app` makes it an error of its own.
        from ladder.errors import ExitCode

        sys.stderr.write("ladder: stopped\n")
        code = ExitCode.STOPPED
    block_signals()  # what is left is to end, which a signal could only make untidy
    sys.exit(code)


def run_command(arguments: list[str]) -> int:
    """Run one command line; errors become one sentence on stderr and an exit code."""
    try:
        from ladder.cli.app import app

        result: Any = app(arguments, standalone_mode=False)
    except Exception as error:
        from ladder.cli.failures import explain

        return explain(error)
    return result if isinstance(result, int) else 0
