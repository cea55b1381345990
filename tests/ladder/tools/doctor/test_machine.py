"""What the doctor finds on a machine, held against another reader of it."""

import psutil

from ladder.tools.doctor.machine import available_kb


def test_available_memory_is_the_kernels_own_figure() -> None:
    """Processes come and go between two looks, so they may differ by a tenth of all memory."""
    memory = psutil.virtual_memory()
    assert abs(available_kb() * 1024 - memory.available) < memory.total / 10
