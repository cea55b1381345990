"""The judge that ends a run at an error of its ratings."""

import numpy as np
import pytest

from ladder.runs.decision import LEAST_PAIRS, UntilError
from tests.support.data.pairs import bot_row, pair_of

BOTS = [bot_row(key) for key in range(3)]


def played(judge: UntilError, pairs: int, *, same: bool = False, strong: int | None = None) -> int:
    """Give a judge random pairs until it has decided; return their number."""
    rng = np.random.default_rng(3)
    for number in range(pairs):
        if judge.decided:
            return number
        a, b = map(int, rng.choice(len(BOTS), 2, replace=False))
        cell = int(rng.choice(9))
        if strong in (a, b):
            cell = 8 if a == strong else 0
        judge.take(pair_of(number, a, b, cell, content=0 if same else None))
    return pairs


@pytest.mark.slow
def test_a_run_ends_when_every_error_is_small_enough() -> None:
    """Half the error takes about four times the pairs, as the forecast says on the way."""
    wide, narrow = UntilError(40.0, BOTS), UntilError(20.0, BOTS)
    few, many = played(wide, 5000), played(narrow, 5000)
    assert 3 * LEAST_PAIRS / 2 <= few < many < 5000
    assert 2.5 < many / few < 6
    assert wide.errors is not None
    assert 30 < wide.errors.worst <= 40
    halfway = UntilError(20.0, BOTS)
    played(halfway, many // 2)
    assert halfway.games_left == pytest.approx(many, rel=0.4)  # games: half of the pairs are left
    assert "until 20" in halfway.progress


@pytest.mark.slow
def test_equal_pairs_are_no_evidence() -> None:
    """Pairs of the same moves count once, so that a run of copies does not end."""
    judge = UntilError(80.0, BOTS)
    assert played(judge, 300, same=True) == 300
    assert judge.errors is None


@pytest.mark.slow
def test_a_bot_without_an_error_is_not_waited_for_and_named() -> None:
    """The rating of a bot that won all its games has no error."""
    judge = UntilError(80.0, BOTS)
    assert played(judge, 5000, strong=1) < 5000
    assert judge.errors is not None
    assert judge.errors.without == ("p1",)


@pytest.mark.slow
def test_a_paused_bot_is_not_waited_for() -> None:
    """It plays no more pairs, so its error stays."""
    judge = UntilError(80.0, [*BOTS, bot_row(3)])
    judge.begin({"p3": "could not be started"})
    assert played(judge, 5000) < 5000
