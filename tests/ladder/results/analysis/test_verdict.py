"""The verdict on one move from what is known of its position."""

import pytest

from db.records.games import Thought, parse_claim
from engine.solver.value import Outcome
from ladder.results.analysis.verdict import (
    FAR,
    UNBOUNDED,
    Bounds,
    Claim,
    Decision,
    MoveVerdict,
    check_claim,
    judge_move,
)

LOSS, DRAW, WIN = Outcome.LOSS, Outcome.DRAW, Outcome.WIN


def exact(number: int) -> Bounds:
    return Bounds(number, number)


def win(plies: int) -> Bounds:
    return exact(FAR - plies)


def loss(plies: int) -> Bounds:
    return exact(plies - FAR)


DRAWN = exact(0)
SOME_WIN, NO_WIN, NO_LOSS = Bounds(1, FAR - 1), Bounds(1 - FAR, 0), Bounds(0, FAR - 1)


@pytest.mark.parametrize(
    ("columns", "column", "before", "after", "decision", "plies"),
    [
        ((win(3), DRAWN, None), 0, WIN, WIN, Decision.YES, 0),
        ((win(3), DRAWN, None), 1, WIN, DRAW, Decision.YES, 0),
        ((win(3), DRAWN, loss(4)), 2, WIN, LOSS, Decision.YES, 0),
        ((DRAWN, None, loss(4)), 2, DRAW, LOSS, Decision.YES, 0),
        ((DRAWN, None, loss(4)), 0, DRAW, DRAW, Decision.YES, 0),
        ((win(3), win(7)), 1, WIN, WIN, Decision.NO, 4),
        ((loss(3), loss(7)), 0, LOSS, LOSS, Decision.NO, 4),
        ((loss(3), loss(7)), 1, LOSS, LOSS, Decision.NO, 0),
        ((DRAWN, DRAWN), 1, DRAW, DRAW, Decision.NO, 0),
        ((None, DRAWN), 1, DRAW, DRAW, Decision.NO, 0),
        # What is not known stays unknown, and nothing else.
        ((UNBOUNDED, DRAWN), 1, None, DRAW, Decision.UNKNOWN, None),
        ((win(3), UNBOUNDED), 0, WIN, WIN, Decision.UNKNOWN, None),
        ((win(3), UNBOUNDED, DRAWN), 0, WIN, WIN, Decision.YES, None),
        ((win(3), UNBOUNDED, DRAWN), 1, WIN, None, Decision.UNKNOWN, None),
        ((win(3), NO_WIN), 0, WIN, WIN, Decision.YES, 0),
        ((win(3), NO_WIN), 1, None, None, Decision.UNKNOWN, None),
        ((SOME_WIN, DRAWN), 0, WIN, WIN, Decision.YES, None),
        ((SOME_WIN, DRAWN), 1, WIN, DRAW, Decision.YES, 0),
        ((NO_LOSS, loss(2)), 1, None, LOSS, Decision.UNKNOWN, None),
    ],
)
def test_a_decision_can_keep_or_lose_the_result(
    columns: tuple[Bounds | None, ...],
    column: int,
    before: Outcome | None,
    after: Outcome | None,
    decision: Decision,
    plies: int | None,
) -> None:
    """Only a move that could keep the result and could lose it is a decision."""
    made = judge_move(columns, column, Thought(1, -0.25))
    assert made == MoveVerdict(before, after, decision, plies, -0.25, Claim.NONE)
    assert MoveVerdict.of(made.pack()) == made


@pytest.mark.parametrize(
    ("proven", "best", "claim"),
    [
        (None, win(5), Claim.NONE),
        ("win", win(5), Claim.TRUE),
        ("win 5", win(5), Claim.TRUE),
        ("win 7", win(5), Claim.LONGER),
        ("win 3", win(5), Claim.FALSE),
        ("loss", win(5), Claim.FALSE),
        ("draw", win(5), Claim.FALSE),
        ("loss 6", loss(6), Claim.TRUE),
        ("loss 8", loss(6), Claim.LONGER),
        ("loss 4", loss(6), Claim.FALSE),
        ("win 4", loss(6), Claim.FALSE),
        ("draw", DRAWN, Claim.TRUE),
        ("draw 9", DRAWN, Claim.TRUE),
        ("win", DRAWN, Claim.FALSE),
        ("win", UNBOUNDED, Claim.UNKNOWN),
        ("win", NO_WIN, Claim.FALSE),
        ("draw", SOME_WIN, Claim.FALSE),
        ("loss 3", NO_LOSS, Claim.FALSE),
        ("draw", NO_LOSS, Claim.UNKNOWN),
        ("win 5", SOME_WIN, Claim.UNKNOWN),
        ("win 9", Bounds(FAR - 7, FAR - 5), Claim.LONGER),
        ("win 3", Bounds(FAR - 7, FAR - 5), Claim.FALSE),
        ("win 5", Bounds(FAR - 7, FAR - 5), Claim.UNKNOWN),
    ],
)
def test_a_false_proof_is_found(proven: str | None, best: Bounds, claim: Claim) -> None:
    """A proof is false when the result is another one, or the end sooner than it can be."""
    result, distance = parse_claim(proven)
    assert check_claim(Thought(1, proven=result, distance=distance), best) is claim
