"""Small words that have been wrong: signs of zero, and results of trials."""

import pytest

from engine.board import Board
from engine.result import Result
from ladder.registry.trial import TrialResult
from ladder.registry.trial_time import TrialGame
from reports.bots import found_text
from reports.layout.format import number, rounded


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [(-0.04, ".1f", "0.0"), (-0.06, ".1f", "-0.1"), (-0.0, ".0f", "0"), (-3, ",d", "-3")],
)
def test_zero_has_no_sign(value: float, form: str, shown: str) -> None:
    """A number that rounds to zero is no negative one; others keep their sign."""
    assert number(value, form) == shown
    assert str(rounded(-0.0004, 3)) == "0.0"


@pytest.mark.parametrize(
    ("result", "words"),
    [(Result.WIN, "beat"), (Result.DRAW, "drew with"), (Result.LOSS, "lost to")],
)
def test_a_trial_has_one_of_three_results(result: Result, words: str) -> None:
    """A drawn game is not a lost one."""
    game = TrialGame(Board(6, 7), result, (1000,), 9)
    found = TrialResult("mine", "1", ("time",), None, (game,))
    assert any(f"6x7: {words} random in 9 plies" in line for line in found_text(found))
