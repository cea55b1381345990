"""Take the pictures of the documentation: ``python docs/take_pictures.py NIGHT.db GATE.html``.

Needs chromium on PATH and the project's test tools. The pictures in docs/pictures came from

    ladder run --bots v1,v2,v4,v8,v10,v12,v17,v18 --simulations 200 --boards thu --games 1200 \\
        --seed 2026 --db night.db
    ladder gate v1 --against v12 --simulations 100 --max-drop 50 --seed 1 --boards 6x7 \\
        --db gate.db --html gate.html
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from db.store import Store
from ladder.results.standings.division import read_division
from ladder.results.standings.report_data import read_report_data
from reports.html.report import report_page

FOLDER = Path(__file__).parent / "pictures"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def main(database: str, gate: str) -> None:
    """Write every picture."""
    with Store.open(database, create=False) as store:
        data = read_report_data(store, read_division(store, store.divisions.all()[0]))
    game = next(shown.game for shown in data.games if len(shown.game.moves) > 30)
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "report.html"
        page.write_text(report_page(data), encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or "chromium", args=FLAGS
        )
        address = f"{page.as_uri()}#game-{game.id}-ply-{len(game.moves) - 8}"
        wide = opened(browser, page.as_uri(), width=1000, scheme="light")
        shot(wide, "report.png", "#verdict", "#steps")
        shot(wide, "history.png", "#history", "#history details")
        shot(wide, "pairings.png", "#pairings", "#pairings details")
        opened(browser, address, width=1000, scheme="dark").locator("#viewer").screenshot(
            path=FOLDER / "replay.png"
        )
        failed = opened(browser, Path(gate).resolve().as_uri(), width=1000, scheme="light")
        shot(failed, "gate.png", "#verdict", "#failures")
        browser.close()


def opened(browser: Any, address: str, *, width: int, scheme: str) -> Any:
    """Return a page with its charts drawn, without the bar that would cover them."""
    page = browser.new_page(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    page.goto(address)
    page.wait_for_selector("body[data-charts=drawn]")
    page.add_style_tag(content="header{display:none} body{padding-top:24px}")
    page.evaluate("window.scrollTo(0, 0)")
    return page


def shot(page: Any, name: str, first: str, end: str) -> None:
    """Take a picture of the page from one element to the beginning of another."""
    top, bottom = (page.locator(selector).first.bounding_box()["y"] for selector in (first, end))
    top -= 24  # a margin above the first heading
    area = {"x": 0, "y": top, "width": page.viewport_size["width"], "height": bottom - top}
    page.screenshot(path=FOLDER / name, full_page=True, clip=area)


if __name__ == "__main__":
    main(*sys.argv[1:])
