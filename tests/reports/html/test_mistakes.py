"""Mistakes on pages: the heat map, the losing move, and true values."""

import pytest

from db.records.games import Thought
from engine.board import parse_board
from ladder.results.analysis.division import GameTruth
from ladder.results.analysis.verdict import FAR, UNBOUNDED, Bounds, judge_move
from ladder.results.standings.report_data import ReportData
from reports.html.report import report_page
from reports.html.viewer import viewer_game
from tests.reports.html.conftest import Open


@pytest.mark.slow
def test_the_mark_and_the_true_values_are_drawn(open_page: Open, data: ReportData) -> None:
    """The viewer shows the turning point, the true values of its columns, and estimates."""
    game = data.games[0].game
    opening, moves = game.opening_plies, game.moves[game.opening_plies :]
    width = parse_board(game.board).columns
    played, other = moves[1], (moves[1] + 1) % width
    known = {played: Bounds(6 - FAR, 6 - FAR), other: Bounds(FAR - 5, FAR - 5)}
    open_columns = (UNBOUNDED,) * width
    turn = tuple(known.get(column, Bounds(0, 0)) for column in range(width))
    columns = [open_columns, turn, *[open_columns] * (len(moves) - 2)]
    verdicts = [judge_move(*each, Thought(1)) for each in zip(columns, moves, strict=True)]
    truth = GameTruth(columns, verdicts, [0.25, None, *[-0.5] * (len(moves) - 2)])
    assert viewer_game(game, "latest")["truth"] == []
    page = open_page(
        report_page(data, truths={game.id: truth}),
        anchor=f"#game-{game.id}-ply-{opening + 2}",
    ).page
    assert page.locator("#values .turning").count() == 1
    assert page.locator("#values .true").count() == 1
    assert page.locator("#values .unproven").count() == 2
    assert page.locator("#times .turning").count() == 0
    summary = page.locator("#summary").inner_text()
    assert f"ply {opening + 2}: " in summary
    assert f"column {played}, which loses in 6 plies; column {other} wins in 5 plies." in summary
    facts = page.locator("#facts").inner_text()
    assert f"win in 5 plies\ncolumn {other}\n" in facts
    assert "the turning point" in facts
    page.keyboard.press("ArrowRight")
    facts = page.locator("#facts").inner_text()
    assert "true value" not in facts
    assert "estimate, not proven\n-0.50" in facts
    page.click("#summary a")
    assert page.url.endswith(f"-ply-{opening + 2}")
