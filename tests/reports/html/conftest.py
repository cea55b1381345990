"""A real browser that opens pages from disk and records errors and requests."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from db.store import Store
from ladder.results.standings.division import read_division
from ladder.results.standings.report_data import ReportData, read_report_data
from reports.html.report import report_page
from tests.support.browser import Opened, Tabs
from tests.support.former import write_former

Open = Callable[..., Opened]


@pytest.fixture
def open_page(tabs: Tabs, tmp_path: Path) -> Iterator[Open]:
    """Return a function that writes a page to disk, opens it offline and waits for its charts."""
    with tabs.lend() as open_tab:

        def opening(html: str, *, anchor: str = "", **how: Any) -> Opened:
            file = tmp_path / "page.html"
            file.write_text(html, encoding="utf-8")
            seen = open_tab(file.as_uri() + anchor, offline=True, **how)
            seen.page.wait_for_selector("body[data-charts=drawn]")
            return seen

        yield opening


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
