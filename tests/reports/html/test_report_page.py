"""The report page in a real browser, from a real database."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from engine.board import parse_board
from engine.position import Position
from ladder.results.standings.notes import NotConnected
from ladder.results.standings.report_data import ReportData
from reports.html.report import report_page
from tests.reports.html.conftest import Open

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m"


@pytest.mark.slow
def test_charts_show_every_bot_and_filters_narrow_the_list(
    open_page: Open, html: str, data: ReportData
) -> None:
    """There is a dot per rated bot and a cell per pairing, without a request or an error.

    The list has exactly the games that match the filters.
    """
    report = open_page(html)
    assert (report.requests, report.errors) == ([], [])
    page = report.page
    marks = "#chart-{} .mark-{}.role-mark path"
    rated = [bot for bot in data.standings.bots if bot.rating.elo is not None]
    assert page.locator(marks.format("ratings", "symbol")).count() == len(rated)
    framed = sum(pairing.z is not None and abs(pairing.z) >= 2 for pairing in data.pairings)
    cells = page.locator(marks.format("pairings", "rect")).count()
    assert cells == len(data.pairings) + framed
    page.select_option("#filters [name=bot]", "v2")
    page.select_option("#filters [name=result]", "lost")
    shown = {
        int(row.get_attribute("data-game")) for row in page.locator("#game-list tbody tr").all()
    }
    lost = {
        shown.game.id
        for shown in data.games
        if (shown.game.first == "v2" and shown.game.result.value == "loss")
        or (shown.game.second == "v2" and shown.game.result.value == "win")
    }
    assert lost
    assert shown == lost


def stones(page: Any) -> dict[tuple[int, int], int]:
    """Return the sides of the drawn stones by column and row from the top."""
    found = {}
    for stone in page.locator("#board .stone").all():
        x, y = float(stone.get_attribute("cx")), float(stone.get_attribute("cy"))
        found[int(x // 40), int(y // 40)] = int(stone.get_attribute("data-side"))
    return found


def expected(data: ReportData, number: int, ply: int) -> dict[tuple[int, int], int]:
    """Return the sides of the stones by the engine."""
    game = next(shown.game for shown in data.games if shown.game.id == number)
    board = parse_board(game.board)
    position = Position.from_moves(board, game.moves[:ply])
    return {
        (column, board.rows - 1 - row): owner
        for row in range(board.rows)
        for column in range(board.columns)
        if (owner := position.owner(row, column)) is not None
    }


@pytest.mark.slow
def test_keys_step_through_a_game_to_the_engines_positions(
    open_page: Open, html: str, data: ReportData
) -> None:
    """A link opens its ply, and arrows, Home and End step from there."""
    number = data.games[0].game.id
    plies = len(data.games[0].game.moves)
    page = open_page(html, anchor=f"#game-{number}-ply-5").page
    assert stones(page) == expected(data, number, 5)
    for key, ply in (("ArrowRight", 6), ("ArrowLeft", 5), ("Home", 0), ("End", plies)):
        page.keyboard.press(key)
        assert stones(page) == expected(data, number, ply), key
        assert page.url.endswith(f"#game-{number}-ply-{ply}")
    assert page.locator("#board .winning").count() >= 4


OUTSIDE = """[...document.querySelectorAll(".chart svg")].flatMap((svg) => {
  const all = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter((text) => {
    const own = text.getBoundingClientRect();
    return own.left < all.left - 1 || own.right > all.right + 1;
  }).map((text) => text.textContent);
})"""
"""A script that returns the texts of charts that are cut off."""


@pytest.mark.slow
def test_a_phone_shows_whole_words_and_the_heading_of_a_linked_game(
    open_page: Open, html: str, data: ReportData
) -> None:
    """The page fits, is accessible and cuts no text; the top bar covers no heading."""
    seen = open_page(html, anchor=f"#game-{data.games[0].game.id}-ply-5", width=390)
    page = seen.page
    assert seen.violations() == ""
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(OUTSIDE) == []
    heading = page.locator("#viewer-title").bounding_box()
    bar = page.locator("header").bounding_box()
    assert bar["y"] + bar["height"] <= heading["y"] < 300


@pytest.mark.slow
def test_hostile_texts_are_shown_as_text(open_page: Open, data: ReportData) -> None:
    """Names and messages may hold markup, and long messages are cut."""
    shown = data.games[0]
    game = replace(shown.game, first=HOSTILE, detail=HOSTILE + "x" * 1_000_000, offender=0)
    bots = [replace(data.standings.bots[0], name=HOSTILE), *data.standings.bots[1:]]
    division = msgspec.structs.replace(data.division, label=HOSTILE)
    made = replace(
        data,
        games=[replace(shown, game=game)],
        standings=replace(
            data.standings, bots=bots, division=division, notes=[NotConnected([HOSTILE])]
        ),
    )
    html = report_page(made)
    assert len(html) < 3_000_000
    opened = open_page(html, anchor=f"#game-{game.id}")
    assert opened.errors == []
    assert "<script>alert(1)" in opened.page.inner_text("h1")
    assert "<img src=x" in opened.page.inner_text("#viewer-detail")


@pytest.mark.slow
def test_an_empty_division_has_a_page(open_page: Open, data: ReportData) -> None:
    """Without games every section has a note."""
    empty = replace(
        data,
        standings=replace(data.standings, bots=[], pairs_table=[], games=0, pool=None),
        steps=[], history=[], pairings=[], classes=[], move_times=[], games=[], runs=[],
    )  # fmt: skip
    opened = open_page(report_page(empty))
    assert opened.errors == []
    assert opened.page.locator("p.empty").count() >= 6
