"""Checks of the machine, compared with psutil."""

from pathlib import Path

import psutil

from ladder.match.process.cgroups import ParentGroup
from ladder.tools.doctor.machine import Level, available_kb, check_limits


def test_available_memory_is_the_kernels_own_figure() -> None:
    """Both figures agree within a tenth of all memory, as processes come and go meanwhile."""
    memory = psutil.virtual_memory()
    assert abs(available_kb() * 1024 - memory.available) < memory.total / 10


def texts(place: ParentGroup | None) -> dict[str, str]:
    """Return the sentences about limits, by topic."""
    findings = check_limits(place)
    assert {finding.level for finding in findings} == {Level.OK}
    return {finding.topic: finding.text for finding in findings}


def test_the_enforcement_of_limits_is_reported(tmp_path: Path) -> None:
    """The report differs with control groups, without their controllers, and without any."""
    everything = texts(ParentGroup(str(tmp_path), ("memory", "pids")))
    assert everything["bot-memory"].startswith("the kernel enforces the memory limit")
    assert "control group" in everything["bot-tasks"]
    plain = texts(ParentGroup(str(tmp_path), ()))
    assert f"not available to control groups in {tmp_path}" in plain["bot-memory"]
    assert "Delegate=yes" in plain["bot-tasks"]
    assert plain["bot-cpu"] == everything["bot-cpu"]
    nothing = texts(None)
    assert "may not create control groups" in nothing["bot-memory"]
    assert "one by one" in nothing["bot-end"]
    assert "signal" in nothing["signals"]
