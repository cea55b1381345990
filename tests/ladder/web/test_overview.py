"""The overview page follows changes by other processes."""

import contextlib
from collections.abc import Callable

import pytest

from db.records.runs import RunKind
from ladder.web.server import ServerOptions
from tests.ladder.web.conftest import Running, Start
from tests.support.browser import Opened, until
from tests.support.data.league import League
from tests.support.unconfined import UNCONFINED

Visit = Callable[..., Opened]


@pytest.mark.slow
def test_each_stored_pair_is_followed(league: League, server: Running, visit: Visit) -> None:
    """Progress, list and chart follow what another process stores; the order of a table stays."""
    run = league.run()
    with contextlib.closing(league.store.run_lock()) as lock:
        assert lock.try_acquire(run.id)
        league.pair(run, "alpha", "beta", "1-0", "0-1")
        opened = visit(server.address)
        opened.page.wait_for_selector("body[data-charts=drawn]")
        assert "2 of 100 games" in opened.page.inner_text("#part-now")
        for _ in range(2):
            opened.page.click("#part-list th button:text('bot')")  # and it keeps the focus
        league.pair(run, "alpha", "gamma", "1-0", "1/2")
        until(
            opened.page, "document.querySelector('#part-now').innerText.includes('4 of 100 games')"
        )
        until(opened.page, "document.querySelectorAll('#part-list tbody tr').length === 3")
        names = opened.page.locator("#part-list tbody td:nth-child(2)").all_inner_texts()
        assert names == ["alpha", "beta", "gamma"]
        focused = "document.activeElement.closest('#part-list th button')?.textContent"
        assert opened.page.evaluate(focused).startswith("bot")
        until(
            opened.page,
            "document.querySelectorAll('#chart-ratings .mark-symbol path').length === 3",
        )
        assert "Running" in opened.page.inner_text("#part-now")
        assert opened.page.inner_text("#connection") == "live"
        lock.release(run.id)
    until(opened.page, "document.querySelector('#part-now').innerText.includes('was interrupted')")
    league.end(run)
    until(opened.page, "document.querySelector('#part-now').innerText.includes('No run')")
    assert opened.errors == []


@pytest.mark.slow
def test_a_hidden_page_is_not_updated(league: League, server: Running, visit: Visit) -> None:
    """A hidden page asks for nothing, and asks again when it is visible."""
    run = league.run()
    page = visit(server.address).page
    until(page, "document.querySelector('#connection').innerText === 'live'")
    page.wait_for_timeout(300)
    turn = """state => {
      Object.defineProperty(document, 'visibilityState', {value: state, configurable: true});
      document.dispatchEvent(new Event('visibilitychange'));
    }"""
    page.evaluate(turn, "hidden")
    before = page.evaluate("document.body.dataset.updates")
    league.pair(run, "alpha", "beta", "1-0", "0-1")
    page.wait_for_timeout(2000)
    assert page.evaluate("document.body.dataset.updates") == before
    page.evaluate(turn, "visible")
    until(page, "document.querySelectorAll('#part-list tbody tr').length === 2")


@pytest.mark.very_slow
def test_the_page_is_accessible(league: League, server: Running, visit: Visit) -> None:
    """axe-core finds no violation in a narrow dark window, and a note with markup is text."""
    run = league.run(note="<script>alert(1)</script>")
    league.pairs(run, "alpha", "beta", 3, "1-0", "0-1")
    league.run(kind=RunKind.GATE, bots=("alpha", "beta"))
    opened = visit(server.address, width=380, scheme="dark")
    opened.page.wait_for_selector("body[data-charts=drawn]")
    assert opened.violations() == ""
    sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert opened.page.evaluate(sideways) <= 0
    assert opened.errors == []
    assert "<script>alert(1)</script>" in opened.page.inner_text("#part-runs")


@pytest.mark.slow
def test_a_page_is_updated_again_when_its_server_is_back(
    league: League, start_server: Start, visit: Visit
) -> None:
    """Meanwhile it reports that the server is gone."""
    first = start_server(league.store.path)
    page = visit(first.address).page
    until(page, "document.querySelector('#connection').innerText === 'live'")
    first.end()
    until(page, "document.querySelector('#connection').innerText.includes('not answer')")
    second = Running(ServerOptions(str(league.store.path), UNCONFINED, port=first.port))
    try:
        until(page, "document.querySelector('#connection').innerText === 'live'")
        league.pairs(league.run(), "alpha", "beta", 1, "1-0", "0-1")
        until(page, "document.querySelectorAll('#part-list tbody tr').length === 2")
    finally:
        second.end()
