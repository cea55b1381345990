"""The analysis of a game from its page: who may start it, its progress, its result and its end."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from db.store import Store
from ladder.results.analysis.division import read_truth
from ladder.web.reviews import ReviewRequest, Reviews, run
from tests.ladder.results.analysis.making import Games, random_moves
from tests.ladder.web.conftest import Running, Start, children_with
from tests.support.browser import Opened, until
from tests.support.loops import run_apart
from tests.support.waiting import eventually

Visit = Callable[..., Opened]
BOARD, LARGE = "4x4", "12x12"


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Return a database with a game on a small board (1) and one on a large board (3)."""
    path = str(tmp_path / "review.db")
    with Store.open(path) as store:
        Games(store, BOARD).add(random_moves(BOARD, 3))
    return path


@pytest.fixture
def large(tmp_path: Path) -> str:
    """Return a database with games on a large board, of which few positions are decided."""
    path = str(tmp_path / "large.db")
    with Store.open(path) as store:
        Games(store, LARGE).add(random_moves(LARGE, 1), random_moves(LARGE, 2))
    return path


def start_review(server: Running, game: int, *, token: str | None = None) -> Any:
    given = server.known_token if token is None else token
    return server.ask(f"/games/{game}/review", method="POST", body={}, token=given)


def wait_for_analysis(server: Running, game: int) -> Any:
    def analysis() -> Any:
        return server.ask(f"/api/games/{game}").document["analysis"]

    eventually(lambda: analysis() is not None, 0.1)
    return analysis()


def test_a_server_without_bots_reviews_nothing(database: str, start_server: Start) -> None:
    """`--players 0` takes the button away and refuses the request."""
    assert 'id="analyse"' in start_server(database).ask("/games/1").text
    server = start_server(database, players=0)
    assert 'id="analyse"' not in server.ask("/games/1").text
    refused = start_review(server, 1)
    assert (refused.status, "--players" in refused.document["error"]) == (503, True)


def test_an_analysis_that_cannot_start_is_over(database: str) -> None:
    """Its state has the reason, and another analysis may start."""
    with Store.open(database) as store:
        row = store.games.get(1)
    assert row is not None

    async def analysed() -> Any:
        reviews = Reviews(database, is_allowed=True, command=("/nosuch/program",))
        async with asyncio.timeout(20):
            for _ in range(2):
                reviews.start(row)
                while not reviews.state("1")["over"]:
                    await asyncio.sleep(0.01)
        await reviews.close()
        return reviews.state("1")["says"]

    assert "cannot be started (No such file or directory)" in run_apart(analysed())


@pytest.mark.slow
def test_a_game_is_analysed_from_its_page(database: str, start_server: Start, visit: Visit) -> None:
    """The button shows the turning point and the true values, and they are stored."""
    server = start_server(database)
    opened = visit(f"{server.address}games/1#game-1-ply-3")
    page = opened.page
    page.click("#analyse")
    until(page, "!document.querySelector('#summary').hidden", timeout_s=120)
    summary = page.inner_text("#summary").removesuffix(" Show it")
    assert page.locator("#values .true").count() == 1
    assert page.url.endswith("#game-1-ply-3")
    assert page.is_hidden("#analyse")
    assert opened.errors == []
    assert opened.violations() == ""
    with Store.open(database) as store:
        row = store.games.get(1)
        assert row is not None
        assert read_truth(store, row) is not None
    assert wait_for_analysis(server, 1)["summary"] == summary
    reloaded = visit(f"{server.address}games/1").page
    assert reloaded.locator("#analyse").count() == 0
    assert reloaded.inner_text("#summary").startswith(summary)


@pytest.mark.slow
def test_one_review_at_a_time_that_ends_with_the_server(large: str, start_server: Start) -> None:
    """The same game joins its review, another is refused, and no process outlives the server."""
    server = start_server(large)
    assert start_review(server, 1).status == 200
    assert start_review(server, 1).status == 200
    refused = start_review(server, 2)
    assert (refused.status, "game 1 is being analysed" in refused.document["error"]) == (503, True)
    assert 'data-running="yes"' in server.ask("/games/1").text
    assert 'data-running="yes"' not in server.ask("/games/2").text
    eventually(lambda: children_with("ladder.web.reviews"))
    (process,) = children_with("ladder.web.reviews")
    server.end()
    assert not psutil.pid_exists(process)


@pytest.mark.slow
def test_a_review_is_shown_with_its_estimates(large: str) -> None:
    """The process returns the champion's values, which no database holds, and stores the rest."""
    answer = run(ReviewRequest(large, "1", 0))
    assert answer.problem == ""
    assert answer.truth is not None
    assert any(value is not None for value in answer.truth.estimates)
    assert not answer.truth.is_improvable
    with Store.open(large) as store:
        row = store.games.get(1)
        assert row is not None
        stored = read_truth(store, row)
    assert stored is not None
    assert stored.is_improvable
    assert stored.columns == answer.truth.columns
