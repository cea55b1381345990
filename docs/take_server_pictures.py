"""Take the pictures of the pages of `ladder serve`: ``python docs/take_server_pictures.py DB``.

Needs chromium on PATH and the project's test tools. The pictures in docs/pictures came from

    ladder run --bots v1,v2,v4,v10,v17,random --simulations 200 --games 300 --boards thu --seed 5 \\
        --note "a first night" --db night.db
    ladder match v10 v17 --simulations 200 --games 40 --boards 6x7 --seed 3 --db night.db
    ladder gate v17 --against v10 --simulations 200 --max-drop 50 --max-games 200 --boards 6x7 \\
        --seed 2 --db night.db
    ladder gate v1 --against v10 --simulations 100 --max-drop 50 --boards 6x7 --seed 2 --db night.db
"""

import json
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

FOLDER = Path(__file__).parent / "pictures"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
PAGES = {
    "server-overview": ("/", 1000, "light"),
    "server-phone": ("/", 390, "dark"),
    "server-bot": ("/bots/v10?division=thu/200sims", 1000, "light"),
    "server-games": ("/games", 1000, "light"),
    "server-run": ("/runs/1", 1000, "light"),
    "server-gate": ("/runs/3", 1000, "light"),
    "server-compare": ("/compare?bots=v17,v10", 1000, "light"),
}
GAME = "/games/301#game-301-ply-24"
"""A game of the match, whose page shows its analysis."""
COLUMNS = (4, 3, 5)
"""Played in the game against a bot, counted from 1."""


def main(database: str) -> None:
    """Write every picture."""
    command = [sys.executable, "-c", "from ladder.cli.main import main; main()", "serve"]
    with (
        subprocess.Popen(
            [*command, "--db", database, "--port", "0"], stdout=subprocess.PIPE, text=True
        ) as server,
        sync_playwright() as playwright,
    ):
        assert server.stdout is not None  # noqa: S101 - asked for above
        address = server.stdout.readline().strip().rstrip("/")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or "chromium", args=FLAGS
        )
        for name, (path, width, scheme) in PAGES.items():
            page = browser.new_page(viewport={"width": width, "height": 760}, color_scheme=scheme)
            page.goto(address + path)
            page.wait_for_timeout(1500)
            page.screenshot(path=FOLDER / f"{name}.png")
            page.close()
        take_analysed_game(browser, address)
        take_game_against_bot(browser, address)
        take_boards(browser, address, database)
        browser.close()
        server.send_signal(2)


def take_analysed_game(browser: Browser, address: str) -> None:
    """Take a picture of a game's page after its analysis."""
    page = browser.new_page(viewport={"width": 1000, "height": 900}, color_scheme="dark")
    page.goto(address + GAME)
    page.click("#analyse")
    page.wait_for_selector("#truth-legend:visible", timeout=60_000)
    page.wait_for_timeout(500)
    page.screenshot(path=FOLDER / "server-game.png")
    page.close()


def take_game_against_bot(browser: Browser, address: str) -> None:
    """Take a picture of a game against a bot, with the value of every column."""
    page = browser.new_page(viewport={"width": 1000, "height": 760}, color_scheme="light")
    page.goto(address + begin_game(address))
    for column in COLUMNS:
        page.click(f"#columns button:nth-child({column}):not([disabled])")
        page.wait_for_timeout(800)
    page.click("#values")
    page.wait_for_timeout(3000)
    page.screenshot(path=FOLDER / "server-play.png")
    page.close()


def take_boards(browser: Browser, address: str, database: str) -> None:
    """Take a picture of the boards of a run, then stop it; its games stay in the database."""
    words = ["run", "--bots", "v1,v2,v4", "--time", "400", "--boards", "thu", "--games", "40"]
    command = [sys.executable, "-c", "from ladder.cli.main import main; main()", *words]
    with subprocess.Popen(
        [*command, "--seed", "5", "--concurrency", "2", "--db", database], stdout=subprocess.DEVNULL
    ) as run:
        page = browser.new_page(viewport={"width": 1000, "height": 900}, color_scheme="light")
        page.goto(address)
        while page.locator(".board-in-play .stone").count() < 16 and run.poll() is None:
            page.wait_for_timeout(200)
        page.screenshot(path=FOLDER / "server-boards.png")
        run.send_signal(2)


def begin_game(address: str) -> str:
    """Start a game against v4 and return its path."""
    with urllib.request.urlopen(f"{address}/play") as answer:  # noqa: S310 - our own address
        found = re.search(r'ladder-token" content="([^"]+)', answer.read().decode())
    assert found  # noqa: S101 - every page has one
    body = json.dumps({"bot": "v4", "kind": "simulations", "amount": 2000}).encode()
    request = urllib.request.Request(  # noqa: S310 - our own address
        f"{address}/play", body, {"X-Ladder-Token": found[1], "Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as answer:  # noqa: S310 - our own address
        path: str = json.loads(answer.read())["address"]
        return path


if __name__ == "__main__":
    main(sys.argv[1])
