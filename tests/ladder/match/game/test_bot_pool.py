"""Idle processes and CPUs of a pool of bots, and its warning about a silent hello."""

from pathlib import Path

import pytest

from db.records.launch import DEFAULT_LIMITS
from ladder.errors import BotTimeout
from ladder.match.game.bot_pool import BotPool
from ladder.match.process.confinement import Confinement
from tests.support.fakes import fake_start


@pytest.mark.parametrize(("silent_s", "warnings"), [(0.1, 1), (60.0, 0)])
def test_a_silent_hello_is_reported_once(tmp_path: Path, silent_s: float, warnings: int) -> None:
    """The warning comes before the deadline, and not for a bot that answers sooner."""
    reports: list[str] = []
    pool = BotPool(Confinement(limits=DEFAULT_LIMITS, sandbox=()), hello_s=0.5)
    start = fake_start("silent-to-the-end", folder=tmp_path)
    with pytest.raises(BotTimeout):
        pool.fetch_hello(start, "mybot", report=reports.append, silent_s=silent_s)
    pool.close()
    assert len(reports) == warnings
    assert all("mybot has not answered hello" in report for report in reports)
