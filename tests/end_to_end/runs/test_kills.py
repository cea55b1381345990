"""Bots killed at random moments; `benchmarks/kills.py` kills every kind of process."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.disturbing import BOT, DisturbedRun
from tests.end_to_end.traces import QUICK, faults_of, lines_of

GAMES = 24
"""A run lasts some seconds while `steady` is slow, and longer than the pause before a kill."""
PAUSE_S = 1.5


def words(seed: int) -> tuple[object, ...]:
    return (
        "run", *QUICK, "--games", GAMES, "--seed", seed,
    )  # fmt: skip


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], list[Any]]:
    """Return the games of the first runs, played in peace, each once for all tests."""
    ladder = Ladder(tmp_path_factory.mktemp("undisturbed")).stock()
    played = 0

    def play(runs: int) -> list[Any]:
        nonlocal played
        while played < runs:
            done = ladder(*words(played))
            assert done.code == 0, done.err
            played += 1
        return [game for game in lines_of(ladder.db) if game[0] < runs]

    return play


@pytest.mark.slow
def test_a_killed_bot_loses_that_game_and_no_other(
    ladder: Ladder, undisturbed: Callable[[int], list[Any]]
) -> None:
    """A killed bot has crashed; every other game must be that of an undisturbed run."""
    disturbed = DisturbedRun(ladder.stock(), words, random.Random(2), longest_s=PAUSE_S)
    with ladder.slow():
        disturbed.kill(BOT, 3)
    assert faults_of(ladder.db) == []
    hit = 0
    for game, quiet in zip(lines_of(ladder.db), undisturbed(disturbed.seed), strict=True):
        if game != quiet:
            hit += 1
            assert game[:4] == quiet[:4]
            assert quiet[4].startswith(game[4])  # it went the same way until then
            assert game[6] == "crash"
            assert "SIGKILL" in game[8]
    assert hit <= 3
    assert disturbed.scratch_left() == []
