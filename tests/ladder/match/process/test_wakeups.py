"""Early wake-ups of the harness."""

import os
import subprocess
import sys

import pytest

CODE = """
import os, subprocess
from ladder.match.process.wakeups import ask_for_early_wakeups
asked = ask_for_early_wakeups()
show = "import os; print(os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0))"
print(asked, os.getpriority(os.PRIO_PROCESS, 0), os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK)
subprocess.run([{python!r}, "-c", show])
"""


@pytest.mark.slow
@pytest.mark.parametrize("more", [0, 5])
def test_a_short_slice_changes_neither_priority_nor_policy(more: int) -> None:
    """Of the thread that asks and of the bots that it starts, whatever the user's priority is."""
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(python=sys.executable)],
        preexec_fn=lambda: os.nice(more),
        capture_output=True,
        text=True,
        check=True,
    )
    asked, *own, theirs = done.stdout.replace("\n", " ").split(" ", 3)
    assert asked == "True"
    nice = os.getpriority(os.PRIO_PROCESS, 0) + more
    assert own == theirs.split() == [str(nice), str(os.SCHED_OTHER)]
