"""What the doctor finds on a machine, held against another reader of it."""

from pathlib import Path

import psutil

from ladder.match.process.cgroups import Place
from ladder.tools.doctor.machine import Level, available_kb, check_limits


def test_available_memory_is_the_kernels_own_figure() -> None:
    """Processes come and go between two looks, so they may differ by a tenth of all memory."""
    memory = psutil.virtual_memory()
    assert abs(available_kb() * 1024 - memory.available) < memory.total / 10


def texts(place: Place | None) -> dict[str, str]:
    """The sentences about limits, by topic."""
    findings = check_limits(place)
    assert {finding.level for finding in findings} == {Level.OK}
    return {finding.topic: finding.text for finding in findings}


def test_the_means_of_limiting_bots_are_named(tmp_path: Path) -> None:
    """With control groups and their controllers, without the controllers, and without any."""
    everything = texts(Place(str(tmp_path), ("memory", "pids")))
    assert everything["bot-memory"].startswith("the kernel holds the memory limit")
    assert "control group" in everything["bot-tasks"]
    plain = texts(Place(str(tmp_path), ()))
    assert f"not available to control groups in {tmp_path}; to have" in plain["bot-memory"]
    assert "Delegate=yes" in plain["bot-tasks"]
    assert plain["bot-cpu"] == everything["bot-cpu"]
    nothing = texts(None)
    assert "this user may make no control groups" in nothing["bot-memory"]
    assert "one by one" in nothing["bot-end"]
    assert "signal" in nothing["signals"]
