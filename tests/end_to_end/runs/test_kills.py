"""A real kill of every part of a run; `benchmarks/kills.py` repeats them at length."""

import random

import pytest

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.disturbing import BOT, COORDINATOR, SUPERVISOR, WORKER, DisturbedRun
from tests.end_to_end.traces import QUICK, faults_of, lines_of

PAUSE_S = 1.5
"""Longest pause before a kill; a run with a slow bot lasts longer."""
KILLS = (BOT, SUPERVISOR, WORKER, COORDINATOR)


def words(seed: int) -> tuple[object, ...]:
    return ("run", *QUICK, "--games", 24, "--seed", seed)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_kills_change_no_game_but_that_of_a_killed_bot(
    ladder: Ladder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The same command resumes; a killed bot has crashed; no process and no scratch is left."""
    disturbed = DisturbedRun(ladder.stock(), words, random.Random(2), longest_s=PAUSE_S)
    with ladder.slow():
        disturbed.kill(*KILLS)
    quiet = Ladder(tmp_path_factory.mktemp("quiet")).stock()
    for seed in range(disturbed.seed):
        assert quiet(*words(seed), "--concurrency", 1).code == 0
    assert faults_of(ladder.db) == []
    crashes = 0
    for game, expected in zip(lines_of(ladder.db), lines_of(quiet.db), strict=True):
        if game != expected:
            crashes += 1
            assert game[:4] == expected[:4]
            assert expected[4].startswith(game[4])  # it went the same way until then
            assert game[6] == "crash"
            assert "SIGKILL" in game[8]
    assert crashes <= KILLS.count(BOT)
    assert disturbed.scratch_left() == []
