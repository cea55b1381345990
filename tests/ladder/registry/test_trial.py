"""What a trial concludes about time, boards and games in one process."""

import sys
from pathlib import Path

import pytest

from bots.protocol import Budget
from db.records.launch import Restart
from engine.board import Board, parse_board
from engine.board_class import parse_board_class
from engine.result import Result
from ladder.registry.specs.board_support import (
    can_play,
    can_play_class,
    describe_boards,
    propose_boards,
)
from ladder.registry.trial_time import TrialGame, judge_time
from reports.bots import found_text
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
def test_a_built_in_player_shares_its_host_with_its_opponent(tmp_path: Path) -> None:
    """Either of two processes of the same host may play the next game."""
    assert len(tried("builtin:stupid", tmp_path).trials) == 2


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


@pytest.mark.slow
def test_a_value_that_is_left_out_is_named_once(tmp_path: Path) -> None:
    """The trial passes, and its lines say so as the warning of a run does."""
    parts = {"budget": "any", "again": "pass", "move": "pass", "end": "continue"}
    bot = ONE_GAME.format(**parts).replace("[-1]}", "[-1], 'info': {'value': float('nan')}}")
    (tmp_path / "one.py").write_text(bot)
    lines = found_text(tried(f"exec:{sys.executable} one.py", tmp_path))
    words = "sends an unusable info.value (NaN) with its move: it is left out"
    assert [line for line in lines if "unusable" in line] == [words]


@pytest.mark.very_slow
def test_a_bot_that_computes_for_ever_costs_ten_seconds(tmp_path: Path) -> None:
    """The watchdog of a trial is shorter than that of a run."""
    text = ONE_GAME.format(budget="nodes", again="pass", move="while True: pass", end="continue")
    (tmp_path / "one.py").write_text(text)
    assert "given 10000nodes (timeout): no answer to move (ply 0) within 10 s" in refusal(
        f"exec:{sys.executable} one.py", tmp_path
    )


@pytest.mark.parametrize(
    ("given_ms", "longest_ms", "further_ms", "knows_budget", "needed", "words"),
    [
        (100, 140, None, True, None, ""),
        (100, 910, 900, True, 910, ""),  # it ignores its budget
        (20, 90, 90, True, 90, ""),
        (100, 813, 203, True, None, "takes 813 ms per move when given 100 ms, and 203 ms when"),
        (2000, 1990, 480, True, None, ""),  # it keeps to it
        (100, 19, None, False, None, ""),
        (100, 60, None, False, 60, ""),
    ],
)
def test_a_time_is_a_need_a_fault_or_neither(
    given_ms: int,
    longest_ms: int,
    further_ms: int | None,
    knows_budget: bool,
    needed: int | None,
    words: str,
) -> None:
    """A time that grows with the budget is no need; a bot that does not know its time has one."""

    def game(own_ms: int) -> TrialGame:
        return TrialGame(Board(6, 7), Result.WIN, (1000 * own_ms,) * 9, 18)

    def play(budget: Budget, *_: object) -> TrialGame:
        if budget.time_ms == given_ms:
            return game(longest_ms)
        assert (budget.time_ms, further_ms is not None) == (given_ms // 4, True)
        return game(further_ms or 0)

    _, found, excess = judge_time(
        [game(longest_ms)], Budget(time_ms=given_ms), play, knows_budget=knows_budget
    )
    assert found == needed
    assert words in excess
    assert bool(words) == bool(excess)


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
