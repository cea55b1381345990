"""The entry point: signals and errors become one sentence and an exit code.

It imports almost nothing, so that Ctrl-C is handled from the first moment.
"""

import gc
import os
import sys
from typing import TYPE_CHECKING, Any

from ladder.checked_stream import checked_stream, open_nowhere
from ladder.signals import current_stop

if TYPE_CHECKING:
    from ladder.runs.executor import Workforce

LOADED = 250_000
"""Slightly more objects than loading the modules of a command creates."""


def main(workforce: "Workforce | None" = None) -> None:
    """Run the command line and exit with its code; see `run_command` for the argument."""
    delay_garbage_collection()
    current_stop().listen()
    # On small matrices, threads of linear algebra are slower than none, and they would take CPUs
    # from bots. The library reads the variable when it is loaded.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if any("://" in word for word in sys.argv):
        from ladder.own_process import hide_passwords

        hide_passwords(sys.argv)
    sys.stdout = checked_stream(sys.stdout or open_nowhere(), "standard output")
    sys.stderr = checked_stream(sys.stderr or open_nowhere(), "standard error")
    code = run_command(sys.argv[1:], workforce)
    current_stop().end_listening()
    # Otherwise the interpreter's last collections visit every object: up to 0.6 s.
    gc.freeze()
    sys.exit(code)


def run_command(arguments: list[str], workforce: "Workforce | None" = None) -> int:
    """Run a command line and return its exit code; print an error as one sentence on stderr.

    Args:
        arguments: the words after ``ladder``.
        workforce: plays the pairs of commands without --cluster, instead of this machine's workers.

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


def delay_garbage_collection() -> None:
    """Delay the first garbage collection until the modules are loaded.

    With Python's own threshold, the collector visits the modules, which are never freed, hundreds
    of times: an eighth of a short command's time. After the first collection that threshold is set
    again.
    """
    former = gc.get_threshold()

    def restore(phase: str, _: dict[str, int]) -> None:
        if phase == "stop":
            gc.callbacks.remove(restore)
            gc.freeze()
            gc.set_threshold(*former)

    gc.callbacks.append(restore)
    gc.set_threshold(LOADED)
