"""The yardstick of the harness's speed."""

from pathlib import Path

import pytest

from ladder.tools.bench.harness import HarnessSpeed
from ladder.tools.bench.ping_pong import PingPong, ping_pong
from reports.bench import harness_document, harness_text


def speed(yardstick: PingPong | None) -> HarnessSpeed:
    return HarnessSpeed(100, 2000, 0.06, 20.0, 25.0, 15.0, 0.5, yardstick)


def compiler_of(program: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler on PATH makes a shell script of these lines, whatever it is to compile."""
    (folder / "program").write_text(f"#!/bin/sh\n{program}\n")
    (folder / "cc").write_text(f"#!/bin/sh\ncp {folder}/program $3\nchmod +x $3\n")
    (folder / "cc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_a_broken_compiler_is_no_yardstick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a C compiler, or with one that fails, there is no figure, and it is said so."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert ping_pong(2) is None
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\nexit 1\n")
    compiler.chmod(0o755)
    assert ping_pong(2) is None
    assert "no C compiler" in harness_text(speed(None))
    assert harness_document(speed(None))["ping_pongs_per_ply"] is None


def test_the_program_prints_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the compiled program prints is the figure, in microseconds."""
    compiler_of("echo 5.125", tmp_path, monkeypatch)
    assert ping_pong(1) == PingPong(5.125, None)


def test_several_pairs_are_held_against_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first time alone 4 us, then two pairs at once with 5 and 10 us: 0.8 and 0.4 of one."""
    monkeypatch.setattr("ladder.tools.bench.ping_pong.allowed_cpus", lambda: 2)
    script = (
        f"[ -e {tmp_path}/alone ] && echo $((5 + 5 * $1)) && exit; touch {tmp_path}/alone; echo 4"
    )
    compiler_of(script, tmp_path, monkeypatch)
    measured = ping_pong(8)
    assert measured is not None
    assert measured.us == 4
    assert measured.at_once == pytest.approx(1.2)
    assert "1.20 times as many of them at once" in harness_text(speed(measured))
    assert harness_document(speed(measured))["ping_pongs_at_once"] == 1.2


def test_a_ply_is_told_in_ping_pongs() -> None:
    """30 us a ply are six times 5 us."""
    assert harness_document(speed(PingPong(5.0, None)))["ping_pongs_per_ply"] == 6.0
    assert "a ply costs 6.0 times a question and its answer" in harness_text(
        speed(PingPong(5.0, None))
    )
