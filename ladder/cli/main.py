"""The entry point: signals and errors become one sentence and an exit code.

It imports next to nothing, so that a Ctrl-C finds somebody who serves it from the first moment.
"""

import gc
import os
import sys
from typing import TYPE_CHECKING, Any

from ladder.checked_stream import checked_stream, open_nowhere
from ladder.signals import end_listening, listen_for_stops

if TYPE_CHECKING:
    from ladder.runs.executor import Workforce

LOADED = 250_000
"""Objects that a command makes and keeps while its modules are loaded, and some more."""


def main(workforce: "Workforce | None" = None) -> None:
    """Run the command line and exit with its code; see `run_command` for the workforce."""
    collect_later()
    listen_for_stops()
    # Threads of linear algebra are slower than none on matrices as small as ours, and would take
    # the CPUs from bots that think. It is read when the library is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if any("://" in word for word in sys.argv):
        from ladder.cli.process_list import hide_passwords

        hide_passwords(sys.argv)
    sys.stdout = checked_stream(sys.stdout or open_nowhere(), "standard output")
    sys.stderr = checked_stream(sys.stderr or open_nowhere(), "standard error")
    code = run_command(sys.argv[1:], workforce)
    end_listening()
    # The interpreter's last collections look at every object of every library: up to 0.6 s.
    gc.freeze()
    sys.exit(code)


def run_command(arguments: list[str], workforce: "Workforce | None" = None) -> int:
    """Run one command line; errors become one sentence on stderr and an exit code.

    `workforce` plays the pairs of commands without --cluster, instead of this machine's workers.
    """
    code = 0
    try:
        from ladder.cli.app import parser

        result: Any = parser()(arguments, prog_name="ladder", standalone_mode=False, obj=workforce)
        code = result if isinstance(result, int) else 0
        sys.stdout.flush()  # while a failure can still be reported
    except Exception as error:
        from ladder.cli.failures import explain

        return explain(error) or code
    return code


def collect_later() -> None:
    """Have the collector of garbage begin when the modules are loaded.

    As Python sets it, it looks hundreds of times at modules that stay for ever, which takes an
    eighth of a short command's time. After its first look it works as ever.
    """
    usual = gc.get_threshold()

    def go_on(phase: str, _: dict[str, int]) -> None:
        if phase == "stop":
            gc.callbacks.remove(go_on)
            gc.freeze()
            gc.set_threshold(*usual)

    gc.callbacks.append(go_on)
    gc.set_threshold(LOADED)
