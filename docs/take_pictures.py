"""Takes the pictures of the documentation from a stored run: ``python docs/take_pictures.py DB``.

Needs chromium on PATH and the project's test tools. The pictures in docs/pictures came from

    ladder run --bots v1,v2,v4,v8,v10,v12,v17,v18 --simulations 400 --boards thu --games 1200 \\
        --seed 2026 --db night.db
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from db.store import Store
from ladder.standings.report_data import gather
from reports.html.report import report_page

FOLDER = Path(__file__).parent / "pictures"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def main(database: str) -> None:
    """Write every picture anew."""
    with Store.open(database, create=False) as store:
        data = gather(store, store.divisions.all()[0])
    game = next(shown.game for shown in data.games if len(shown.game.moves) > 30)
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "report.html"
        page.write_text(report_page(data), encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or "chromium", args=FLAGS
        )
        address = f"{page.as_uri()}#game-{game.id}-ply-{len(game.moves) - 8}"
        wide = opened(browser, address, width=1000, scheme="light")
        top = wide.locator("#steps").bounding_box()
        shot(wide, "report.png", (0, 50, 1000, top["y"] - 60 if top else 1000))
        box = wide.locator("#history").bounding_box()
        if box:
            shot(wide, "history.png", (0, box["y"], 1000, 470))
        opened(browser, address, width=1000, scheme="dark").locator("#viewer").screenshot(
            path=FOLDER / "replay.png"
        )
        opened(browser, address, width=390, scheme="light").locator("#viewer").screenshot(
            path=FOLDER / "phone.png"
        )
        browser.close()


def opened(browser: Any, address: str, *, width: int, scheme: str) -> Any:
    """A page with its charts drawn, scrolled to the top."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(address)
    page.wait_for_selector("body[data-charts=drawn]")
    page.add_style_tag(content="header{position:static!important}html{scroll-behavior:auto}")
    page.evaluate("window.scrollTo(0, 0)")
    return page


def shot(page: Any, name: str, clip: tuple[float, float, float, float]) -> None:
    """A part of the whole page as a picture."""
    x, y, width, height = clip
    area = {"x": x, "y": y, "width": width, "height": height}
    page.screenshot(path=FOLDER / name, full_page=True, clip=area)


if __name__ == "__main__":
    main(sys.argv[1])
