"""The yardstick of the harness: a question and an answer between two C programs on one processor.

It is what the kernel takes for two writes, two reads and two switches of processes, and differs
between machines as the harness does: the ratio of the two travels, microseconds do not.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_name("ping_pong.c")
COMPILERS = ("cc", "gcc", "clang")
PATIENCE_S = 60


def ping_pong_us() -> float | None:
    """Microseconds of one question and its answer, the median of some batches.

    None: no C compiler is on PATH, or it cannot make a program that runs here.
    """
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "ping_pong")
        try:
            for command in ([compiler, "-O2", "-o", program, str(SOURCE)], [program]):
                done = subprocess.run(
                    command, capture_output=True, text=True, check=True, timeout=PATIENCE_S
                )
            return float(done.stdout)
        except (OSError, ValueError, subprocess.SubprocessError):
            return None
