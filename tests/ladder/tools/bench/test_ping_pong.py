"""The reference for the harness's speed: an exchange between two C programs."""

from pathlib import Path

import pytest

from ladder.tools.bench.harness import HarnessSpeed
from ladder.tools.bench.ping_pong import PingPong, ping_pong
from reports.bench import harness_document, harness_text


def speed(reference: PingPong | None) -> HarnessSpeed:
    return HarnessSpeed(100, 2000, 0.06, 20.0, 25.0, 15.0, 0.5, reference)


def fake_compiler(program: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a compiler on PATH that always produces this shell script."""
    (folder / "program").write_text(f"#!/bin/sh\n{program}\n")
    (folder / "cc").write_text(f"#!/bin/sh\ncp {folder}/program $3\nchmod +x $3\n")
    (folder / "cc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_without_a_compiler_nothing_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a working C compiler there is no figure, and the text reports it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert ping_pong(2) is None
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\nexit 1\n")
    compiler.chmod(0o755)
    assert ping_pong(2) is None
    assert "no C compiler" in harness_text(speed(None))
    assert harness_document(speed(None))["ping_pongs_per_ply"] is None


def test_the_program_prints_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The figure is the number that the compiled program prints, in microseconds."""
    fake_compiler("echo 5.125", tmp_path, monkeypatch)
    assert ping_pong(1) == PingPong(5.125, None)


def test_several_pairs_are_compared_with_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One pair takes 4 us, two pairs at once 5 and 10 us: 0.8 + 0.4 = 1.2 times the throughput."""
    script = (
        f"[ -e {tmp_path}/alone ] && echo $((5 + 5 * $1)) && exit; touch {tmp_path}/alone; echo 4"
    )
    fake_compiler(script, tmp_path, monkeypatch)
    measured = ping_pong(2)
    assert measured is not None
    assert measured.us == 4
    assert measured.at_once == pytest.approx(1.2)
    assert "1.20 times" in harness_text(speed(measured))
    assert harness_document(speed(measured))["ping_pongs_at_once"] == 1.2


def test_a_ply_is_compared_with_an_exchange() -> None:
    """A ply of 30 us costs six exchanges of 5 us."""
    assert harness_document(speed(PingPong(5.0, None)))["ping_pongs_per_ply"] == 6.0
    assert "6.0 times" in harness_text(speed(PingPong(5.0, None)))
