"""Games of people against bots in the browser."""

import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route

from bots.champion import CHAMPION
from db.store import Store
from ladder.cli.main import run_command
from ladder.registry.builtins import sync_builtins
from ladder.web.open_games import Patience
from tests.ladder.web.conftest import Answer, Running, Start, add_untried, children_with
from tests.support.browser import Opened, until
from tests.support.fakes import FAKE_BOT
from tests.support.shared import made_once
from tests.support.waiting import eventually

Visit = Callable[..., Opened]


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Return the built-in players and a run of two games, played once for all tests."""

    def make(folder: Path) -> None:
        path = str(folder / "play.db")
        with Store.open(path) as store:
            sync_builtins(store)
        run = [
            "run",
            "--bots",
            "random,stupid",
            "--games",
            "2",
            "--simulations",
            "1",
            "--seed",
            "3",
        ]
        assert run_command([*run, "--boards", "6x7", "--db", path]) == 0

    return str(shutil.copy(made_once("web-play", make) / "play.db", tmp_path))


@pytest.fixture
def server(database: str, start_server: Start) -> Running:
    """Return a server of it."""
    return start_server(database, players=2)


def ask_game(server: Running, **wish: Any) -> Answer:
    """Ask for a game and return the answer."""
    body = {"bot": "stupid", "kind": "simulations", "amount": 1, **wish}
    return server.ask("/play", method="POST", body=body, token=server.known_token)


def begun(server: Running, **wish: Any) -> str:
    """Return the address of a new game."""
    answer = ask_game(server, **wish)
    assert answer.status == 200, answer.text
    return server.address.rstrip("/") + answer.document["address"]


def in_column(page: Any, column: int) -> dict[str, float]:
    """Return a point of the drawn board, in the middle of a column of seven."""
    box = page.locator("#board").bounding_box()
    return {"x": box["width"] * (column + 0.5) / 7, "y": box["height"] / 4}


SAYS = "document.querySelector('#says').innerText"


@pytest.mark.slow
def test_a_game_is_played_by_clicks_undone_and_saved(
    database: str, server: Running, visit: Visit
) -> None:
    """A game is played from its first column to a win, with undo, a hint and a stored game."""
    opened = visit(f"{server.address}play?bot=stupid")
    page = opened.page
    until(page, f"{SAYS} === 'You against stupid: drop your first stone.'")
    page.fill("input[name=amount]", "1")
    page.select_option("select[name=kind]", "simulations")
    page.check("input[name=save]")
    page.click("#board", position=in_column(page, 5))
    page.wait_for_url("**/play/*")
    until(page, "document.querySelectorAll('#board .stone').length === 2")
    assert "column" in page.inner_text("#facts")
    assert page.locator("#board .stone").first.get_attribute("cx") == "220"
    page.mouse.move(0, 0)
    page.hover("#board", position=in_column(page, 5))
    assert page.locator("#board .preview").count() == 1
    page.click("#undo")
    until(page, "document.querySelectorAll('#board .stone').length === 0")
    page.select_option("#adviser", "random")
    page.click("#hint")
    until(page, "document.querySelector('#hinted').innerText.includes('random would play column')")
    hinted = page.locator("#columns .hinted")
    assert "(the hint)" in hinted.get_attribute("aria-label")
    column = int(hinted.inner_text())
    assert page.locator("#board .hint-mark").get_attribute("cx") == str(column * 40 + 20)
    for stones in (2, 4, 6):
        page.click("#columns button:nth-child(6)")
        until(page, f"document.querySelectorAll('#board .stone').length === {stones}")
    page.click("#columns button:nth-child(6)")
    until(page, f"{SAYS}.includes('You won against stupid: four in a row')")
    assert page.locator("#board .winning").count() == 4
    until(page, "document.querySelector('#saved').innerText.includes('game 3')")
    assert opened.errors == []
    assert opened.violations() == ""
    page.click("#saved a")
    page.wait_for_url("**/games/3")
    assert page.locator("#board .stone").count() == 7
    with Store.open(database) as store:
        stored = store.games.get(3)
    assert stored is not None
    assert stored.moves == (5, 0, 5, 0, 5, 0, 5)


@pytest.mark.slow
def test_the_form_shows_its_board_and_play_starts_anew(
    database: str, start_server: Start, visit: Visit
) -> None:
    """The board follows the form, is the one that is played, and each game replaces the last."""
    opened = visit(f"{start_server(database, players=1).address}play?bot=stupid")
    page = opened.page
    page.select_option("select[name=kind]", "simulations")
    page.fill("input[name=board]", "thu")
    page.press("input[name=board]", "Tab")  # else the click on *Play* leaves the field, as a change
    page.select_option("select[name=side]", "second")
    until(page, f"{SAYS} === 'You against stupid: press Play, and it moves first.'")
    until(page, "document.querySelectorAll('#columns button').length > 8")
    cross = page.get_attribute("#board .forbidden", "d")
    page.click("button:text('Play')")
    page.wait_for_url("**/play/*")
    until(page, f"{SAYS} === 'Your move.'")
    assert page.get_attribute("#board .forbidden", "d") == cross
    assert opened.violations() == ""
    before = page.url
    page.click("button:text('Play')")
    page.wait_for_url(lambda url: url != before)
    until(page, f"{SAYS} === 'Your move.'")
    assert page.locator("#board .stone").count() == 1
    assert opened.errors == []


@pytest.mark.slow
def test_a_board_that_comes_late_replaces_no_later_one(
    database: str, start_server: Start, visit: Visit
) -> None:
    """The page must show the board of the form's present values, in whatever order answers come."""
    page = visit(f"{start_server(database, players=1).address}play?bot=stupid").page
    held: list[Route] = []
    page.route("**/play/board?*board=5x5*", lambda route: held.append(route))
    for board in ("5x5", "8x9"):
        page.fill("input[name=board]", board)
        page.press("input[name=board]", "Tab")
    until(page, "document.querySelectorAll('#columns button').length === 9")
    with page.expect_response("**/play/board?*board=5x5*") as late:
        held[0].continue_()
    late.value.finished()
    page.select_option("select[name=kind]", "simulations")
    assert page.locator("#columns button").count() == 9


@pytest.mark.slow
def test_the_true_value_of_each_column_is_shown(server: Running, visit: Visit) -> None:
    """The button shows the values before each move until it is clicked again, also to readers."""
    opened = visit(begun(server), width=380)
    page = opened.page
    until(page, f"{SAYS} === 'Your move.'")
    page.click("#values")
    marks = "[...document.querySelectorAll('#columns small')].map(mark => mark.innerText)"
    until(page, f"{marks}.length === 7")
    assert page.evaluate(marks)[2:5] == ["draw", "win\n41", "draw"]
    label = page.get_attribute("#columns button:nth-child(4)", "aria-label")
    assert label == "Drop in column 3: win in 41 plies"
    assert page.get_attribute("#values", "aria-pressed") == "true"
    assert opened.violations() == ""
    page.click("#columns button:nth-child(4)")
    until(page, f"{SAYS} === 'Your move.' && {marks}.length === 7 && {marks}[3] !== 'win\\n41'")
    page.keyboard.press("v")
    until(page, f"{marks}.length === 0")
    assert opened.errors == []


@pytest.mark.slow
def test_a_game_is_played_by_keys(server: Running, visit: Visit) -> None:
    """Arrows, Enter, u, h and taps do what the buttons do."""
    page = visit(begun(server), width=380).page
    until(page, f"{SAYS} === 'Your move.'")
    for stones in (2, 4, 6):
        page.keyboard.press("Enter")
        until(page, f"document.querySelectorAll('#board .stone').length === {stones}")
    page.keyboard.press("u")
    until(page, "document.querySelectorAll('#board .stone').length === 4")
    page.locator("#board").tap(position=in_column(page, 6))
    until(page, "document.querySelectorAll('#board .stone').length === 6")
    page.keyboard.press("u")
    until(page, "document.querySelectorAll('#board .stone').length === 4")
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    until(page, "document.querySelectorAll('#board .stone').length === 6")
    assert "played column" in page.inner_text("#board-text")
    assert page.is_hidden("#analyse")
    page.keyboard.press("Enter")  # the bot's fourth stone in its one column
    until(page, f"{SAYS} === 'stupid won: four in a row.'")
    page.wait_for_selector("#analyse:not([hidden])")
    sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(sideways) <= 0
    page.click("#analyse")  # stores the game and shows its page with the analysis
    page.wait_for_url("**/games/3")
    page.wait_for_selector("[data-review]")


@pytest.mark.slow
def test_a_game_starts_from_a_stored_position(server: Running, visit: Visit) -> None:
    """A bot moves in a stored position, and a game starts there."""
    page = visit(f"{server.address}games/1#game-1-ply-5").page
    until(page, "document.querySelector('#ply').innerText.startsWith('5 of')")
    page.click("#play-on")
    page.wait_for_url("**ply=5")
    page.select_option("select[name=bot]", "random")
    page.select_option("select[name=side]", "mover")
    page.fill("input[name=amount]", "5")
    page.select_option("select[name=kind]", "simulations")
    page.click("button:text('Play')")
    page.wait_for_url("**/play/*")
    until(page, f"{SAYS} === 'Your move.'")
    assert page.locator("#board .stone").count() == 5
    assert page.is_disabled("#undo")


def ask_state(server: Running, address: str, words: str, *, for_s: float = 0.0) -> None:
    """Ask for the state of a game, as its page does, until it holds these words and for a while."""
    path = address.removeprefix(server.address.rstrip("/"))
    deadline, until_at = time.monotonic() + 20, 0.0
    while not until_at or time.monotonic() < until_at:
        answer = server.ask(f"{path}/state")
        assert answer.status == 200
        if words in answer.text:
            until_at = until_at or time.monotonic() + for_s
        assert time.monotonic() < deadline, answer.text
        time.sleep(0.1)


@pytest.mark.slow
@pytest.mark.timed
def test_a_bot_ends_with_its_page(database: str, start_server: Start) -> None:
    """The bot's process lives as long as the page is open, however long that is."""
    server = start_server(database, patience=Patience(unseen_s=1.0, check_s=0.1))
    address = begun(server)
    ask_state(server, address, "Your move.", for_s=1.5)
    assert children_with("supervisor") != []
    wait_for_none()
    path = address.removeprefix(server.address.rstrip("/"))
    # The process is gone a moment before its game is.
    eventually(lambda: server.ask(path).status == 404)


@pytest.mark.slow
def test_a_game_without_moves_ends_and_makes_room(database: str, start_server: Start) -> None:
    """More games than `--players` are refused until one has ended."""
    server = start_server(database, players=1, patience=Patience(idle_s=4.0, check_s=0.1))
    address = begun(server)
    refused = ask_game(server)
    assert (refused.status, "--players N" in refused.document["error"]) == (503, True)
    ask_state(server, address, "minutes without a move")
    wait_for_none()
    begun(server)


def wait_for_none() -> None:
    # Each look reads the command lines of all processes.
    eventually(lambda: not children_with("supervisor"), 0.25)


@pytest.mark.slow
def test_ending_a_game_while_a_bot_thinks_stores_no_result(
    database: str, server: Running, visit: Visit, tmp_path: Path
) -> None:
    """Ending a game ends a bot that thinks, and stores no result."""
    shutil.copy(FAKE_BOT, tmp_path)
    add_untried(database, "slow", f"exec:{sys.executable} -I -S bot.py thinks 99", tmp_path)
    lasts = {"kind": "time_ms", "amount": 60_000, "save": True}
    page = visit(begun(server, bot="slow", side="second", **lasts)).page
    until(page, f"{SAYS} === 'slow is thinking.'", timeout_s=60)
    page.click("#end")
    until(page, f"{SAYS} === 'You ended the game.'")
    wait_for_none()
    page = visit(begun(server, bot="stupid", **lasts)).page
    until(page, f"{SAYS} === 'Your move.'", timeout_s=60)
    page.click("#hint")
    until(page, f"{SAYS}.includes('hint from {CHAMPION}')")
    until(page, "document.querySelector('#end:not([disabled])')")
    page.click("#end")
    until(page, f"{SAYS} === 'You ended the game.'")
    wait_for_none()
    with Store.open(database) as store:
        assert store.games.get(3) is None
