"""What a trial concludes about time and boards."""

import pytest

from engine.board import parse_board, parse_board_class
from ladder.match.registry.trial import describe_excess, needed_ms, own_time_us
from ladder.match.specs.board_support import (
    can_play,
    can_play_class,
    describe_boards,
    propose_boards,
)


@pytest.mark.parametrize(
    ("times_ms", "knows_budget", "needed"),
    [
        ((99, 98, 103), True, None),
        ((99, 140, 30), True, None),
        ((900, 910.7, 905), True, 910),
        ((1, 2, 19.9), False, None),
        ((50, 60.2), False, 60),
        ((), True, None),
    ],
)
def test_only_a_bot_that_ignores_its_time_needs_a_least_time(
    times_ms: tuple[float, ...], knows_budget: bool, needed: int | None
) -> None:
    """A bot that knows and keeps its time needs none; one that does not know it needs its own."""
    assert needed_ms([int(ms * 1000) for ms in times_ms], knows_budget=knows_budget) == needed


def test_the_load_of_the_machine_is_no_need_of_a_bot() -> None:
    """A bot that computes needs its processor time; one that sleeps takes its wall time anyway."""
    assert own_time_us(9_700_000, 2_900_000) == 2_900_000
    assert own_time_us(300_000, 800_000) == 300_000
    assert own_time_us(200_000, 1000) == 200_000
    assert own_time_us(200_000, None) == 200_000


def test_a_time_that_grows_with_the_budget_is_no_need() -> None:
    """A bot that takes eight times its budget needs no greater one; a fixed time is a need."""
    assert describe_excess(813, 640) == ""
    sentence = describe_excess(813, 203)
    assert "takes 813 ms per move when given 100 ms, and 203 ms when given 25 ms" in sentence


@pytest.mark.parametrize(
    ("boards", "plays", "words"),
    [
        (None, "6x7 8x8 6x7@1,1 thu", "every board"),
        (["any"], "6x7 8x8", "boards without a forbidden cell"),
        (["forbidden"], "6x7 8x8 6x7@1,1 thu", "every board"),
        (["standard"], "6x7", "standard"),
        (["6x7", "forbidden"], "6x7 6x7@1,1", "6x7 with or without a forbidden cell"),
        (["forbidden-only"], "6x7@1,1 thu", "boards with a forbidden cell only"),
    ],
)
def test_a_list_of_boards_allows_exactly_these(
    boards: list[str] | None, plays: str, words: str
) -> None:
    """As single boards and as classes."""
    able = [
        b for b in ("6x7", "8x8", "6x7@1,1", "thu") if can_play_class(boards, parse_board_class(b))
    ]
    assert " ".join(able) == plays
    for name in ("6x7", "8x8", "6x7@1,1"):
        assert can_play(boards, parse_board(name)) == (name in able)
    assert describe_boards(boards) == words


@pytest.mark.parametrize(
    ("boards", "others", "proposed"),
    [
        (["any"], [None], "standard"),
        (["forbidden-only"], [], "thu"),
        (["8x8", "5x5"], [], "8x8"),
        (["8x8", "5x5"], [None, ["5x5"]], "5x5"),
        (None, [["forbidden-only"]], "thu"),
        (["8x8"], [["5x5"]], "8x8"),
        (["8x8@3,3"], [], "standard"),
    ],
)
def test_a_refusal_proposes_boards_that_the_bots_play(
    boards: list[str] | None, others: list[list[str] | None], proposed: str
) -> None:
    """It proposes the other bots where there are such."""
    assert propose_boards(boards, others) == proposed
