"""One real Chromium per session of tests, and tabs that record requests and errors."""

import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
"""The first needs four fifths of the processor time of the others."""
CHROMIUM = next(filter(None, map(shutil.which, PROGRAMS)), None)
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
    listeners: dict[str, Any] = field(default_factory=dict)
    """By event, what records it."""

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
        pytest.skip("no chromium on PATH: apt-get install chromium-headless-shell")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


def watched(page: Any) -> Opened:
    """Record the requests and errors of a page from now on."""
    opened = Opened(page)

    def request(made: Any) -> None:
        if not made.url.startswith("file:"):
            opened.requests.append(made.url)

    def console(line: Any) -> None:
        if line.type in ("error", "warning"):
            opened.errors.append(line.text)

    def script(error: object) -> None:
        opened.errors.append(str(error))

    opened.listeners = {"request": request, "console": console, "pageerror": script}
    for event, listener in opened.listeners.items():
        page.on(event, listener)
    return opened


class Tabs:
    """Tabs that tests use one after another: a page in a new one takes three times as long."""

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._blank: defaultdict[tuple[bool, bool], list[Any]] = defaultdict(list)
        """By whether they have touch and are offline."""

    @contextmanager
    def lend(self) -> Iterator[Callable[..., Opened]]:
        """Yield a function that opens an address in a tab, which is blank after the block."""
        lent: list[tuple[tuple[bool, bool], Opened]] = []

        def open_tab(
            address: str,
            *,
            width: int = 1280,
            scheme: str = "light",
            has_touch: bool = False,
            offline: bool = False,
        ) -> Opened:
            kind = (has_touch, offline)
            tabs = self._blank[kind]
            if not tabs:
                context = self._browser.new_context(has_touch=has_touch, offline=offline)
                tabs.append(context.new_page())
            opened = watched(tabs.pop())
            lent.append((kind, opened))
            opened.page.set_viewport_size({"width": width, "height": 900})
            motion = "reduce" if offline else "no-preference"
            opened.page.emulate_media(color_scheme=scheme, reduced_motion=motion)
            opened.page.goto(address)
            return opened

        yield open_tab
        for kind, opened in lent:
            page = opened.page
            if page.is_closed():
                page.context.close()
                continue
            for event, listener in opened.listeners.items():
                page.remove_listener(event, listener)
            page.unroute_all()
            leave(page)
            page.mouse.move(0, 0)
            self._blank[kind].append(page)

    def close(self) -> None:
        """Close all tabs that are not lent."""
        for tabs in self._blank.values():
            for page in tabs:
                page.context.close()


def leave(page: Any) -> None:
    """Empty a tab. A page that begins to load anew at that moment is left after it has."""
    from playwright.sync_api import Error

    while page.url != "about:blank":
        try:
            page.goto("about:blank")
        except Error as error:
            if "interrupted by another navigation" not in str(error):
                raise


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
