"""What a trial concludes about time, boards and games in one process."""

import sys
from pathlib import Path

import pytest

from db.records.restart import Restart
from engine.board import parse_board, parse_board_class
from ladder.match.registry.trial_time import describe_excess, needed_ms, own_time_us
from ladder.match.specs.board_support import (
    can_play,
    can_play_class,
    describe_boards,
    propose_boards,
)
from tests.support.hosted import refusal, tried

ONE_GAME = """
import json, sys

game = None
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        answer = {{"type": "hello", "name": "one", "budgets": ["{budget}"], "boards": ["any"]}}
    elif kind == "new_game":
        {again}
        game, answer = message, {{"type": "ready"}}
    elif kind == "move":
        {move}
        room = [game["rows"] - message["moves"].count(c) for c in range(game["columns"])]
        answer = {{"type": "move", "column": [c for c, left in enumerate(room) if left > 0][-1]}}
    else:
        {end}
    print(json.dumps(answer), flush=True)
"""


@pytest.mark.slow
def test_a_player_with_options_shares_its_host_with_its_opponent(tmp_path: Path) -> None:
    """Either of two processes of the same host may play the next game."""
    assert len(tried("builtin:v1?c=0.5", tmp_path).trials) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"end": "sys.exit()"}, ""),
        ({"again": "assert game is None"}, "AssertionError"),
        (
            {
                "again": "message = game or message",
                "move": "assert len(message['moves']) % 2 == game['side']",
            },
            "AssertionError",
        ),
    ],
    ids=["exits", "fails", "keeps the first game"],
)
def test_a_bot_for_one_game_is_told_that_a_process_plays_many(
    tmp_path: Path, parts: dict[str, str], expected: str
) -> None:
    """The commonest mistake is found at registration, and passes with a process for each game."""
    defaults = {"budget": "any", "again": "pass", "move": "pass", "end": "continue"}
    (tmp_path / "one.py").write_text(ONE_GAME.format(**{**defaults, **parts}))
    spec = f"exec:{sys.executable} one.py"
    sentence = refusal(spec, tmp_path)
    assert "one process plays many games: begin anew at each new_game" in sentence
    assert expected in sentence
    assert len(tried(spec, tmp_path, restart=Restart.GAME).trials) == 1


@pytest.mark.very_slow
def test_a_bot_that_computes_for_ever_costs_ten_seconds(tmp_path: Path) -> None:
    """The watchdog of a trial is shorter than that of a run."""
    text = ONE_GAME.format(budget="nodes", again="pass", move="while True: pass", end="continue")
    (tmp_path / "one.py").write_text(text)
    assert "given 10000 nodes a move (timeout): no answer to move (ply 0) within 10 s" in refusal(
        f"exec:{sys.executable} one.py", tmp_path
    )


@pytest.mark.parametrize(
    ("longest_ms", "knows_budget", "needed"),
    [
        (103, True, None),
        (140, True, None),
        (910.7, True, 910),
        (19.9, False, None),
        (60, False, 60),
    ],
)
def test_only_a_bot_that_ignores_its_time_needs_a_least_time(
    longest_ms: float, knows_budget: bool, needed: int | None
) -> None:
    """A bot that knows and keeps its time needs none; one that does not know it needs its own."""
    assert needed_ms(int(longest_ms * 1000), knows_budget=knows_budget) == needed


def test_the_load_of_the_machine_is_no_need_of_a_bot() -> None:
    """A bot that computes needs its processor time; one that sleeps takes its wall time anyway."""
    assert own_time_us(9_700_000, 2_900_000) == 2_900_000
    assert own_time_us(300_000, 800_000) == 300_000
    assert own_time_us(200_000, 1000) == 200_000
    assert own_time_us(200_000, None) == 200_000


def test_a_time_that_grows_with_the_budget_is_no_need() -> None:
    """A bot that takes eight times its budget needs no greater one; a fixed time is a need."""
    assert describe_excess(813, 640, 100) == ""
    assert describe_excess(1990, 480, 2000) == ""
    sentence = describe_excess(813, 203, 100)
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
