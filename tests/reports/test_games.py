"""A stored game beside its board."""

import io
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType

from db.records.bots import HUMAN
from db.records.games import Thought
from engine.board import parse_board
from engine.position import Position
from ladder.results.analysis.division import GameTruth
from ladder.results.analysis.verdict import UNBOUNDED, Bounds, judge_move
from ladder.results.conditions import unstored_game
from reports.replay import (
    game_document,
    game_heading,
    ply_view,
    truth_summary,
)
from tests.support.data.analysed import an_analysed_game

GAME = unstored_game(
    Position.from_moves(parse_board("6x7"), (6, 0, 6, 0, 6, 0, 6)),
    (HUMAN, "v4"),
    thoughts=(
        Thought(12_000_000),
        Thought(2_500, -0.25, 1234, 7),
        Thought(900),
        Thought(98_100, 0.0, None, 9, "loss", nodes=250_000, distance=4),
        Thought(1),
        Thought(2, -1.0, 0, 1, "loss", distance=2),
        Thought(3),
    ),
)


def printed(what: RenderableType, width: int = 80) -> list[str]:
    """Return the lines printed to a pipe."""
    file = io.StringIO()
    Console(file=file, width=width).print(what)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_a_ply_shows_statistics_beside_the_board() -> None:
    """The statistics of the move are to the right of the board after it."""
    lines = printed(ply_view(GAME, 2))
    assert lines[0] == "ply 2: v4 played column 0"
    assert lines[1:6] == [
        " .  .  .  .  .  .  .    time      2.5 ms",
        " .  .  .  .  .  .  .    value     -0.25",
        " .  .  .  .  .  .  .    searched  1,234 simulations",
        " .  .  .  .  .  .  .    speed     493,600 /s",
        " .  .  .  .  .  .  .    depth     7",
    ]
    assert lines[6] == "(O) .  .  .  .  .  X"


def test_a_game_that_is_not_stored_has_no_number() -> None:
    """Its heading names none, and in JSON the number and the pair are null."""
    assert game_heading(GAME).splitlines() == [
        "human (X) against v4 (O) on 6x7",
        "human won by four in a row after 7 plies",
        "6x7 6060606",
    ]
    document = game_document(GAME)
    assert (document["id"], document["pair"], document["game"]) == (None, None, None)
    moves = document["timing"]["moves"]
    assert (moves[1]["simulations"], moves[1]["nodes"]) == (1234, None)
    fields = ("simulations", "nodes", "proven", "distance")
    assert [moves[3][name] for name in fields] == [250_000, 250_000, "loss 4", 4]


def test_verdicts_are_shown_beside_the_moves() -> None:
    """An analysed game shows mistakes and the true value of each column, as text and as JSON."""
    game, truth = an_analysed_game()
    shown = "\n".join(printed(ply_view(game, 6, truth)))
    assert "columns   6: draw, 0 1 2 3 4 5: loss 2" in shown
    assert "mistake   draw to loss, the turning point" in shown
    shown = "\n".join(printed(ply_view(game, 7, truth)))
    assert "columns   6: win 1, 2 3 4 5: loss 2, 0: unknown" in shown
    assert "mistake" not in shown
    assert not any("columns" in line for line in printed(ply_view(game, 5, truth)))
    made = game_document(game, truth)["analysis"]
    assert made["turning_point"] == 5
    assert made["summary"] == (
        "Turning point, ply 6: v4 played column 0, which loses in 2 plies; column 6 draws."
    )
    lost, won = made["moves"]
    assert (lost["ply"], lost["value"], lost["distance"]) == (5, "draw", None)
    assert (lost["best"], lost["mistake"], won["mistake"]) == ([6], True, False)
    assert (won["value"], won["distance"], won["best"]) == ("win", 1, [6])
    assert won["columns"][:3] == [
        {"value": None, "distance": None}, None, {"value": "loss", "distance": 2}
    ]  # fmt: skip
    assert game_document(game)["analysis"] is None


@pytest.mark.parametrize(
    ("low", "high", "summary"),
    [
        (0, 0, "No move changed the result: from ply 5 on the game is a draw."),
        (
            -990,
            -990,
            "From ply 6 on the game is a win of v4; the result just before is not proven.",
        ),
        (
            990,
            990,
            "Ply 6: v4 played column 0, and from then on the game is a win of v1; columns 1, 2, "
            "3, 4, 5 and 6 are not proven to lose.",
        ),
        (-990, 0, "The result is not proven at the end of this game."),
    ],
)
def test_a_game_without_a_turning_point_has_a_summary(low: int, high: int, summary: str) -> None:
    """It has the ply from which the result is proven, if there is one."""
    game, _ = an_analysed_game()
    last = (Bounds(low, high),) * 7
    first = last if low == 0 else (UNBOUNDED,) * 7
    columns = [first, last]
    verdicts = [judge_move(each, 0, Thought(1)) for each in columns]
    truth = GameTruth(columns, verdicts, [-0.25, None])
    assert truth_summary(game, truth) == summary
    estimates = [move["estimate"] for move in game_document(game, truth)["analysis"]["moves"]]
    assert estimates == [None if low == 0 else -0.25, None]


def test_a_clock_is_shown_beside_each_move() -> None:
    """The time that a move left stands at its ply, in both views and in the document."""
    game, _ = an_analysed_game()
    timed = replace(game, left_us=(9_500_000, 10_000_000))
    assert "clock left 9,500 ms" in "\n".join(printed(ply_view(timed, 6)))
    assert "clock left" not in "\n".join(printed(ply_view(timed, 5)))
    assert game_document(timed)["timing"]["left_us"] == [9_500_000, 10_000_000]
    assert game_document(game)["timing"]["left_us"] is None
