"""One real Chromium per session of tests, and pages that record requests and errors."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@dataclass
class Opened:
    """A page in the browser."""

    page: Any
    requests: list[str] = field(default_factory=list)
    """Addresses of what it loaded, files left out."""
    errors: list[str] = field(default_factory=list)
    """Errors and warnings of the console and of scripts."""

    def violations(self) -> str:
        """Return axe-core's violations of WCAG 2 AA as text, empty if there are none."""
        from axe_playwright_python.sync_playwright import Axe

        # Elements that pass are not described: that takes longer than to look at them.
        options = {
            "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa"]},
            "resultTypes": ["violations"],
        }
        found = Axe().run(self.page, options=options)
        return str(found.generate_report()) if found.violations_count else ""


@contextmanager
def chromium() -> Iterator[Any]:
    """Start Debian's Chromium; skip the test if it is not installed."""
    if CHROMIUM is None:
        pytest.skip("no chromium on PATH: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


def watched(page: Any) -> Opened:
    """Record the requests and errors of a new page."""
    opened = Opened(page)

    def request(made: Any) -> None:
        if not made.url.startswith("file:"):
            opened.requests.append(made.url)

    def console(line: Any) -> None:
        if line.type in ("error", "warning"):
            opened.errors.append(line.text)

    page.on("request", request)
    page.on("console", console)
    page.on("pageerror", lambda error: opened.errors.append(str(error)))
    return opened


def until(page: Any, expression: str, *, timeout_s: float = 120.0) -> None:
    """Wait until an expression is true.

    Playwright's own wait evaluates a string in the page, which the pages of the server forbid.
    """
    from playwright.sync_api import Error

    deadline = time.monotonic() + timeout_s
    while True:
        try:
            if page.evaluate(expression):
                return
        except Error as error:
            # A page that loads anew lacks its parts for a moment.
            if "navigation" not in str(error) and "of null" not in str(error):
                raise
        assert time.monotonic() < deadline, f"never true: {expression}\n{page.inner_text('body')}"
        page.wait_for_timeout(50)
