"""The yardstick of the harness's speed."""

from pathlib import Path

import pytest

from ladder.bench.harness import HarnessSpeed
from ladder.bench.ping_pong import ping_pong_us
from reports.bench import harness_document, harness_text


def speed(ping_pong: float | None) -> HarnessSpeed:
    return HarnessSpeed(100, 2000, 0.06, 20.0, 25.0, 15.0, 0.5, ping_pong)


def test_a_broken_compiler_is_no_yardstick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a C compiler, or with one that fails, there is no figure, and it is said so."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert ping_pong_us() is None
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\nexit 1\n")
    compiler.chmod(0o755)
    assert ping_pong_us() is None
    assert "no C compiler" in harness_text(speed(None))
    assert harness_document(speed(None))["ping_pongs_per_ply"] is None


def test_the_program_prints_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the compiled program prints is the figure, in microseconds."""
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\nprintf '#!/bin/sh\\necho 5.125\\n' > $3\nchmod +x $3\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert ping_pong_us() == 5.125


def test_a_ply_is_told_in_ping_pongs() -> None:
    """30 us a ply are six times 5 us."""
    assert harness_document(speed(5.0))["ping_pongs_per_ply"] == 6.0
    assert "a ply costs 6.0 times a question and its answer" in harness_text(speed(5.0))
