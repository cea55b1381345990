"""A reference for the harness: a question and its answer between two C programs on one processor.

This is the kernel's cost of two writes, two reads and two process switches. It varies between
machines as the harness's own cost does, so their ratio can be compared between machines and
microseconds cannot. Processors that share a core, memory or a clock slow each other down; several
pairs of programs at once show by how much, which bounds the gain from more workers.
"""

import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).with_name("ping_pong.c")
COMPILERS = ("cc", "gcc", "clang")
TIMEOUT_S = 60


class PingPong(NamedTuple):
    """The speed of questions and answers between C programs."""

    us: float
    """Microseconds for one question and its answer, the median of several batches."""
    at_once: float | None
    """The throughput of several pairs of programs, each on its own processor, relative to one pair;
    None if only one pair ran."""


def ping_pong(pairs: int) -> PingPong | None:
    """Measure one pair of programs, and several at once.

    Args:
        pairs: the number of pairs at once, at most one for each processor.

    Returns:
        None if no C compiler is on PATH or its program does not run.

    """
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "ping_pong")
        try:
            subprocess.run(
                [compiler, "-O2", "-o", program, str(SOURCE)],
                capture_output=True,
                check=True,
                timeout=TIMEOUT_S,
            )
            [alone] = _times_us(program, 1)
            if pairs < 2:
                return PingPong(alone, None)
            together = statistics.harmonic_mean(_times_us(program, pairs))
            return PingPong(alone, pairs * alone / together)
        except (OSError, ValueError, subprocess.SubprocessError):
            return None


def _times_us(program: str, pairs: int) -> list[float]:
    """Start the program several times at once, each on its own processor; return their times.

    Raises:
        ValueError: a program did not print a positive number.

    """
    running = [
        subprocess.Popen([program, str(place)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for place in range(pairs)
    ]
    try:
        times = [float(each.communicate(timeout=TIMEOUT_S)[0]) for each in running]
    finally:
        for each in running:
            each.kill()
            each.wait()
    if min(times) <= 0:
        raise ValueError("a question and its answer cannot take no time")
    return times
