"""A bot that stops starting is paused, and named wherever the run is shown."""

import pytest

from tests.end_to_end.conftest import Ladder

BOT = """
from pathlib import Path

if Path({marker!r}).exists():
    raise RuntimeError("no licence")


class Bot:
    def new_game(self, board, side, seed, budget):
        self.columns = board["columns"]

    def choose(self, moves):
        return next(c for c in range(self.columns) if moves.count(c) < 6)
"""


@pytest.mark.slow
def test_a_paused_bot_is_named_at_the_end_in_runs_and_in_the_report(ladder: Ladder) -> None:
    """The reader must see in the morning which bot played only a part of the night."""
    marker = ladder.folder / "broken"
    (ladder.folder / "bad.py").write_text(BOT.format(marker=str(marker)))
    assert ladder("bots", "add", "bad", "python:bad.py:Bot").code == 0
    marker.touch()
    words = ("--boards", "standard", "--simulations", "5", "--games", "20", "--seed", "1")
    done = ladder("run", "--bots", "bad,stupid,random", *words, "--concurrency", "1")
    assert done.code == 0, done.err
    assert "bad was paused: it could not be started" in done.err
    (run,) = ladder("runs", "--json").document["runs"]
    (paused,) = run["paused"]
    assert (paused["name"], paused["reason"]) == ("bad", "could not be started")
    assert "paused" in ladder("runs").out
    report = ladder("report")
    assert "in run 1, the latest, bots were paused: bad could not be started after" in (
        " ".join(report.out.split())
    )
