"""A real browser that opens pages from disk and records errors and requests."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from db.store import Store
from ladder.results.standings.division import read_division
from ladder.results.standings.report_data import ReportData, read_report_data
from reports.html.report import report_page
from tests.support.browser import Opened, watched
from tests.support.former import write_former

Open = Callable[..., Opened]


def opened(
    browser: Any, file: Path, *, anchor: str = "", width: int = 1280, scheme: str = "light"
) -> Opened:
    """Open a file offline in a new browser context and wait for its charts."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        reduced_motion="reduce",
        offline=True,
    )
    seen = watched(context.new_page())
    seen.page.goto(file.as_uri() + anchor)
    seen.page.wait_for_selector("body[data-charts=drawn]")
    return seen


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """Return a function that writes a page to disk and opens it."""
    contexts = []

    def opening(html: str, **how: Any) -> Opened:
        file = tmp_path / "page.html"
        file.write_text(html, encoding="utf-8")
        seen = opened(browser, file, **how)
        contexts.append(seen.page.context)
        return seen

    yield opening
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> ReportData:
    """Return the data of five bots and 24 games."""
    file = tmp_path_factory.mktemp("report") / "games.db"
    write_former(str(file))
    with Store.open(str(file)) as store:
        return read_report_data(store, read_division(store, store.divisions.all()[0]))


@pytest.fixture(scope="session")
def html(data: ReportData) -> str:
    """Return the page of these games."""
    return report_page(data)


@pytest.fixture(scope="session")
def report(browser: Any, html: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """Return the page in a wide window, shared by tests that do not change it."""
    file = tmp_path_factory.mktemp("shared") / "report.html"
    file.write_text(html, encoding="utf-8")
    seen = opened(browser, file)
    yield seen
    seen.page.context.close()
