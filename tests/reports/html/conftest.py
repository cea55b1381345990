"""A real browser that opens pages from disk, and what it saw."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
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
    """Addresses beside the file itself."""
    errors: list[str] = field(default_factory=list)
    """Of the console and of scripts."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium; without it the test is skipped."""
    if CHROMIUM is None:
        pytest.skip("no chromium on PATH: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Write a page to disk, open it and wait until its charts are drawn."""
    contexts = []

    def opening(html: str, *, anchor: str = "", width: int = 1280, scheme: str = "light") -> Opened:
        file = tmp_path / "page.html"
        file.write_text(html, encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
        )
        contexts.append(context)
        opened = Opened(context.new_page())
        opened.page.on(
            "request",
            lambda request: (
                None if request.url.startswith("file:") else opened.requests.append(request.url)
            ),
        )
        opened.page.on(
            "console",
            lambda line: opened.errors.append(line.text) if line.type == "error" else None,
        )
        opened.page.on("pageerror", lambda error: opened.errors.append(str(error)))
        opened.page.goto(file.as_uri() + anchor)
        opened.page.wait_for_selector("body[data-charts=drawn]")
        return opened

    yield opening
    for context in contexts:
        context.close()
