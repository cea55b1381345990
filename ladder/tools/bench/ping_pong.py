"""The yardstick of the harness: a question and its answer between two C programs on one processor.

It is what the kernel takes for two writes, two reads and two switches of processes, and differs
between machines as the harness does: the ratio of the two travels, microseconds do not. Processors
that share a core, a memory or a clock are together less than their number, and the ratio of several
such pairs at once to one alone says how much less: what several workers can be at most.
"""

import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from ladder.match.process.cpus import allowed_cpus

SOURCE = Path(__file__).with_name("ping_pong.c")
COMPILERS = ("cc", "gcc", "clang")
PATIENCE_S = 60


class PingPong(NamedTuple):
    """Questions and answers between pairs of C programs."""

    us: float
    """Microseconds of one question and its answer, the median of some batches."""
    at_once: float | None
    """How many times as many of them several pairs make at once, each on a processor of its own, as
    one alone; None: it was one pair, or there is one processor."""


def ping_pong(pairs: int) -> PingPong | None:
    """Measure one pair of programs, and several at once.

    Args:
        pairs: how many at once, at most; no more than there are processors.

    Returns:
        None when no C compiler is on PATH, or it cannot make a program that runs here.

    """
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        return None
    pairs = min(pairs, allowed_cpus())
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "ping_pong")
        try:
            subprocess.run(
                [compiler, "-O2", "-o", program, str(SOURCE)],
                capture_output=True,
                check=True,
                timeout=PATIENCE_S,
            )
            [alone] = _times_us(program, 1)
            if pairs < 2:
                return PingPong(alone, None)
            together = statistics.harmonic_mean(_times_us(program, pairs))
            return PingPong(alone, pairs * alone / together)
        except (OSError, ValueError, subprocess.SubprocessError):
            return None


def _times_us(program: str, pairs: int) -> list[float]:
    """The figures of the program started so often at once, on a processor each.

    Raises:
        ValueError: it prints no positive number.

    """
    running = [
        subprocess.Popen([program, str(place)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for place in range(pairs)
    ]
    try:
        times = [float(each.communicate(timeout=PATIENCE_S)[0]) for each in running]
    finally:
        for each in running:
            each.kill()
            each.wait()
    if min(times) <= 0:
        raise ValueError("no time at all")
    return times
