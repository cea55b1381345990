"""Mistakes on pages: the heat map, the losing move, and true values."""

import pytest

from ladder.results.analysis.division import GameTruth, format_columns
from ladder.results.analysis.solved import FAR, UNBOUNDED, Bounds
from ladder.results.standings.report_data import ReportData
from reports.html.report import report_page
from reports.html.sections.mistakes import mistakes_figure, mistakes_table
from reports.html.viewer import viewer_game
from tests.reports.html.conftest import Open
from tests.support.data.analysed import an_analysis


@pytest.mark.slow
def test_the_heat_map_has_a_cell_for_each_range(data: ReportData) -> None:
    """Chart and table have bot and plies left; without an analysis the page has a note."""
    _, made = an_analysis()
    figure = mistakes_figure(made)
    assert figure.spec is not None
    (row,) = figure.table.rows
    assert [cell.text for cell in row][:2] == ["a", "37-42"]
    assert mistakes_figure(None).spec is None
    assert mistakes_table(None) is None
    table = mistakes_table(made)
    assert table is not None
    assert [heading.number for heading in table.headings][:2] == [False, True]
    assert [cell.sort for cell in table.rows[0]][:2] == [None, 1.0]
    page = report_page(data, wrong=made)
    assert "1 games analysed" in page
    assert "a claimed win 5 in game 7 at ply 0, the truth is draw" in page
    assert "No game was analysed yet" in report_page(data)


def test_true_values_in_words() -> None:
    """Full columns and unknown results have no text."""
    columns = (Bounds(FAR - 5, FAR - 5), None, UNBOUNDED, Bounds(0, 0), Bounds(1, FAR - 1))
    assert format_columns(columns) == ["win 5", None, None, "draw", "win"]


@pytest.mark.slow
def test_the_mark_and_the_true_values_are_drawn(open_page: Open, data: ReportData) -> None:
    """The viewer shows the losing move and the true value of each column before it."""
    game = data.games[0].game
    moves = len(game.moves) - game.opening_plies
    columns = (Bounds(FAR - 5, FAR - 5), None, Bounds(0, 0), *[UNBOUNDED] * 9)
    truth = GameTruth([None, columns, *[None] * (moves - 2)], (), game.opening_plies + 1)
    assert viewer_game(game, "latest")["truth"] == []
    page = open_page(
        report_page(data, truths={game.id: truth}),
        anchor=f"#game-{game.id}-ply-{game.opening_plies + 2}",
    ).page
    assert page.locator("#values .lost").count() == 1
    assert page.locator("#times .lost").count() == 0
    facts = page.locator("#facts").inner_text()
    assert "0: win in 5 plies, 2: draw" in facts
    assert "this move lost the game" in facts
    page.keyboard.press("ArrowRight")
    assert "true value" not in page.locator("#facts").inner_text()
