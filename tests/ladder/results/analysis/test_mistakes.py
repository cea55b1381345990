"""Counts of mistakes from verdicts, against counting by hand."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from db.records.analysis import JudgedGame
from engine.solver.value import Outcome
from ladder.results.analysis.mistakes import BotMistakes, mistakes_by_revision, ratio_error95
from ladder.results.analysis.verdict import Claim, Decision, MoveVerdict
from ladder.stats.elo import Z95

LOSS, DRAW, WIN = Outcome.LOSS, Outcome.DRAW, Outcome.WIN
RIGHT = MoveVerdict(WIN, WIN, Decision.YES, 0, 0.5, Claim.TRUE)
SLOW = MoveVerdict(WIN, WIN, Decision.NO, 4, 0.95, Claim.LONGER)
GIVEN_AWAY = MoveVerdict(WIN, LOSS, Decision.YES, 0, 0.9, Claim.NONE)
HALVED = MoveVerdict(WIN, DRAW, Decision.YES, 0, 0.9, Claim.NONE)
LOST = MoveVerdict(DRAW, LOSS, Decision.YES, 0, None, Claim.FALSE)
HASTY = MoveVerdict(LOSS, LOSS, Decision.NO, 2, -1.0, Claim.NONE)
OPEN = MoveVerdict(None, None, Decision.UNKNOWN, None, 0.1, Claim.UNKNOWN)


def game(
    number: int,
    moves: Sequence[MoveVerdict],
    *,
    result: str = "loss",
    termination: str = "four_in_a_row",
    pair: int | None = None,
    opening: int = 0,
) -> JudgedGame:
    return JudgedGame(
        game_id=number,
        pair_id=number if pair is None else pair,
        first_revision=1,
        second_revision=2,
        board="6x7",
        opening_plies=opening,
        result=result,
        termination=termination,
        moves=b"".join(move.pack() for move in moves),
    )


def first(*games: JudgedGame) -> BotMistakes:
    return mistakes_by_revision(games)[1]


def test_decisions_and_mistakes_of_a_game_are_counted_apart() -> None:
    """Decisions, each kind of mistake, unknown moves, slips and claims are counted apart."""
    moves = [RIGHT, OPEN, GIVEN_AWAY, RIGHT, HALVED, OPEN, LOST, HASTY, OPEN, SLOW, HASTY, RIGHT]
    both = mistakes_by_revision([game(7, moves)])
    one, two = both[1], both[2]
    assert (one.games, one.moves, one.decided, one.decisions, one.unknown) == (1, 6, 5, 4, 1)
    assert (one.win_to_loss, one.win_to_draw, one.draw_to_loss) == (1, 1, 1)
    assert one.per_100 == 75
    assert one.unknown_share == pytest.approx(1 / 6)
    assert (one.slower_wins.moves, one.slower_wins.plies, one.slower_wins.of) == (0, 0, 1)
    assert (one.faster_losses.moves, one.faster_losses.plies) == (1, 2)
    assert one.claims == {Claim.TRUE: 1, Claim.LONGER: 0, Claim.FALSE: 1, Claim.UNKNOWN: 1}
    assert [(move.game, move.ply) for move in one.false_moves] == [(7, 6)]
    assert (two.mistakes, two.decisions, two.unknown) == (0, 2, 2)
    assert (two.slower_wins.moves, two.slower_wins.plies, two.slower_wins.of) == (1, 4, 3)


def test_the_first_losing_mistake_is_found_in_lost_games() -> None:
    """Only games lost on the board count, their loser's moves, the opening included."""
    lost = game(1, [RIGHT, RIGHT, GIVEN_AWAY, LOST, LOST], opening=2)
    won = game(2, [GIVEN_AWAY, RIGHT], result="win")
    late = game(3, [GIVEN_AWAY], termination="timeout")
    open_ = game(4, [OPEN, OPEN])
    one = first(lost, won, late, open_)
    assert one.lost_games == 2
    (move,) = one.losing_moves
    assert (move.game, move.ply, move.left, move.before) == (1, 4, 38, "win")
    two = mistakes_by_revision([lost, won])[2]
    assert two.lost_games == 1
    assert two.losing_moves == ()


def test_mistakes_are_counted_by_plies_left() -> None:
    """A bin holds six numbers of empty cells; 42 cells are empty before ply 0."""
    one = first(game(1, [RIGHT, OPEN] * 3 + [GIVEN_AWAY, OPEN, OPEN, OPEN]))
    bins = [(each.first, each.last, each.decisions, each.mistakes) for each in one.by_plies_left]
    assert bins == [(31, 36, 1, 1), (37, 42, 3, 0)]
    assert [each.unknown for each in one.by_plies_left] == [1, 0]


def test_errors_count_a_pair_as_one_unit() -> None:
    """Two equal games of one pair are as much evidence as one of them."""
    moves = [[RIGHT, OPEN], [GIVEN_AWAY, OPEN]]
    apart = first(*(game(n, moves[n % 2]) for n in range(40)))
    together = first(*(game(n, moves[n // 2 % 2], pair=n // 2) for n in range(40)))
    assert apart.per_100 == together.per_100 == 50
    assert apart.error95 is not None
    assert together.error95 is not None
    # Binomial by hand: 1.96 * sqrt(0.25 / 39), and with half as many units.
    assert apart.error95 == pytest.approx(15.69, abs=0.01)
    assert together.error95 == pytest.approx(22.48, abs=0.01)


def test_a_bot_without_mistakes_has_an_error() -> None:
    """Without any mistake the error is the rate that would show none in 5 % of cases."""
    one = first(*(game(n, [RIGHT, OPEN]) for n in range(60)))
    assert one.per_100 == 0
    assert one.error95 == pytest.approx(100 * 3 / 60)
    single = first(game(1, [RIGHT, OPEN]))
    assert single.error95 is None
    nothing = first(game(1, [OPEN, OPEN]))
    assert (nothing.per_100, nothing.unknown_share) == (None, 1.0)


def test_games_that_were_lost_after_the_opening_are_counted_apart() -> None:
    """A lost game without a mistake of its loser was lost before its first move."""
    lost, open_ = game(1, [HASTY, RIGHT, HASTY]), game(2, [HASTY, RIGHT, OPEN])
    found = first(lost, open_, game(3, [LOST]), game(4, [HASTY], result="win"))
    assert (found.lost_games, len(found.losing_moves), found.lost_from_start) == (3, 1, 1)


def test_the_error_is_that_computed_by_hand():
    """Residuals 0.2, -0.8, 1.2 and -0.6 of four clusters around a ratio of a fifth."""
    found = ratio_error95(np.array([1.0, 0, 2, 1]), np.array([4.0, 4, 4, 8]))
    assert found == pytest.approx(Z95 * math.sqrt(4 / 3 * 2.48 / 20**2))


def test_the_error_is_that_of_resampled_clusters():
    """Clusters drawn again with replacement spread the ratio as the error says."""
    rng = np.random.default_rng(5)
    wholes = rng.integers(1, 12, 400).astype(float)
    parts = rng.binomial(wholes.astype(int), rng.beta(2, 6, 400)).astype(float)
    draws = rng.integers(0, 400, (2000, 400))
    spread = (parts[draws].sum(axis=1) / wholes[draws].sum(axis=1)).std()
    assert ratio_error95(parts, wholes) == pytest.approx(Z95 * spread, rel=0.08)


@pytest.mark.parametrize(
    ("parts", "wholes", "expected"),
    [
        ([0.0, 0.0], [40.0, 20.0], 0.05),
        ([0.0, 0.0], [1.0, 1.0], 1.0),
        ([3.0], [9.0], None),
        ([3.0, 0.0], [9.0, 0.0], None),
        ([0.0, 0.0], [0.0, 0.0], None),
    ],
)
def test_without_spread_the_ratio_is_bounded(parts, wholes, expected):
    """No part anywhere bounds the ratio by three in all; one cluster gives no error."""
    assert ratio_error95(np.array(parts), np.array(wholes)) == expected
