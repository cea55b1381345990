"""The speed of a run, as another process sees it."""

from dataclasses import replace
from pathlib import Path

import pytest

from db.records.runs import RunStatus
from ladder.results.pages import measure_paces
from ladder.runs.history import PastRun, past_run
from tests.support.data.league import League

FIRST = 1_700_000_001.0
"""When the league's first game begins; each of the others a second after the one before."""
HOUR = 3600.0


@pytest.fixture
def run(tmp_path: Path) -> tuple[League, PastRun]:
    """Return a running run with a hundred games, which began with the first of them."""
    league = League(tmp_path / "league.db", "alpha", "beta")
    row = league.run()
    league.pairs(row, "alpha", "beta", 50, "1-0", "0-1")
    found = past_run(league.store, row.id)
    row = replace(found.row, started_at=FIRST, target_games=200)
    return league, replace(found, row=row, status=RunStatus.RUNNING)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("begun", "now", "speed"),
    [
        (FIRST, FIRST + 100, 3600),
        (FIRST + HOUR, FIRST + 99, 3636),  # the clock was set back after the run had begun
        (FIRST, FIRST - HOUR, None),  # and after all games
        (FIRST, FIRST + HOUR, 20.45),  # it was set on after all games, or the run has slowed down
        (FIRST - HOUR, FIRST + 100, 3000),  # or before the first: two minutes later it is right
    ],
)
def test_a_clock_that_is_set_moves_no_speed_far(
    run: tuple[League, PastRun], begun: float, now: float, speed: float | None
) -> None:
    """Games an hour are about those of the latest games, or missing, whatever the clock shows."""
    league, past = run
    row = replace(past.row, started_at=begun)
    (found,) = measure_paces(league.store, [replace(past, row=row)], now=now)
    assert found.games_an_hour == (None if speed is None else pytest.approx(speed, rel=0.02))
    left = None if speed is None else pytest.approx(100 / speed * 3600, rel=0.02)
    assert found.seconds_left == left
    league.store.close()
