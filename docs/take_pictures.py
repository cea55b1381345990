"""Play a night at 100 ms, and take its list and the documentation's pictures from it.

    .venv/bin/python -m docs.take_pictures FOLDER [GAMES]

On an idle machine: 3,000 games, the default, take some 100 minutes on two processors. The same
command resumes, and takes list and pictures again when all is played. Needs chromium on PATH and
the project's test tools.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from ladder.stats.difference import chance_words
from tests.tools.generated import ROOT, with_generated

PICTURES = ROOT / "docs" / "pictures"
PAGE = ROOT / "docs" / "results" / "thu-100ms.md"
LADDER = str(Path(sys.executable).with_name("ladder"))
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
DIVISION = "thu/100ms"
PLAYERS = "v*,exact,mcts3,uct-seven,ab5,c4ai,flat-mc,random"
NIGHT = ("run", "--bots", PLAYERS, "--boards", "thu", "--time", "100ms", "--seed", "2026")
QUICK = ("--simulations", "200", "--boards", "6x7")
MATCH = ("match", "v10", "v17", *QUICK, "--games", "40", "--seed", "3")
GATE = ("gate", "v17", "--against", "v10", *QUICK, "--max-drop", "50", "--max-games", "200")
FAILED_GATE = ("gate", "v1", "--against", "v12", *QUICK, "--max-drop", "50")
BOARDS = ("run", "--bots", "v1,v2,v4", "--time", "400ms", "--boards", "thu", "--games", "40")
SERVED = {
    "server-overview": (f"/?division={DIVISION}", 1000, "light"),
    "server-phone": (f"/?division={DIVISION}", 390, "dark"),
    "server-bot": (f"/bots/v24?division={DIVISION}", 1000, "light"),
    "server-games": ("/games", 1000, "light"),
    "server-run": ("/runs/1", 1000, "light"),
    "server-gate": ("/runs/3", 1000, "light"),
    "server-compare": (f"/compare?bots=v24,v20&division={DIVISION}", 1000, "light"),
}
"""Address, width and colour scheme of each page of the server; run 3 is the gate."""
COLUMNS = (4, 3, 5)
"""Played in the game against a bot, counted from 1."""


def main(folder: str, games: str = "3000") -> None:
    """Play, and write the list and every picture."""
    place = Path(folder)
    place.mkdir(exist_ok=True)
    database, night, gate = (place / name for name in ("night.db", "night.html", "gate.html"))
    play(database, *NIGHT, "--games", games, *["--resume"] * database.exists())
    play(database, *MATCH)
    play(database, *GATE, "--seed", "2")
    play(database, *FAILED_GATE, "--seed", "1", "--html", str(gate))
    play(database, "report", "--division", DIVISION, "--html", str(night), "--force")
    PAGE.write_text(with_generated(PAGE.read_text(), "night", night_tables(database)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        take_report(browser, night.resolve().as_uri(), gate.resolve().as_uri())
        with server(database) as address:
            take_server(browser, address, database)
        browser.close()


def play(database: Path, *words: str) -> str:
    """Run a command and return what it prints; 3 and 4 are verdicts."""
    done = subprocess.run(
        [LADDER, *words, "--db", str(database)], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode not in (0, 3, 4):
        sys.exit(done.returncode)
    return done.stdout


def night_tables(database: Path) -> str:
    """Return the rating list, and each version against the one that it is based on."""
    report = ("report", "--division", DIVISION)
    listed = [bot["name"] for bot in json.loads(play(database, *report, "--json"))["bots"]]
    parents = {
        bot["name"]: bot["based_on"]
        for bot in json.loads(play(database, "bots", "list", "--all", "--json"))
    }
    rows = ["| step | Elo | chance |", "|---|---|---|"]
    versions = [name for name in listed if re.fullmatch(r"v\d+", name)]
    newest_first = sorted(versions, key=lambda name: -int(name[1:]))
    compared = play(database, *report, "--compare", *newest_first, "--json")
    for step in json.loads(compared)["versus"]:
        if parents[step["a"]] == step["b"] and step["elo"] is not None:
            ends = ("open" if step[key] is None else f"{step[key]:+.0f}" for key in ("low", "high"))
            elo, chance = f"{step['elo']:+.0f}", chance_words(step["los"])
            rows.append(f"| {step['a']} - {step['b']} | {elo} [{', '.join(ends)}] | {chance} |")
    return f"{play(database, *report, '--format', 'markdown').strip()}\n\n" + "\n".join(rows) + "\n"


def take_report(browser: Any, night: str, gate: str) -> None:
    """Take pictures of the night's page, one of its games, and the page of a gate."""
    wide = opened(browser, night, scheme="light")
    shot(wide, "report.png", "#verdict", "#ratings table")
    shot(wide, "history.png", "#history", "#history details")
    shot(wide, "pairings.png", "#pairings", "#pairings details")
    games = json.loads(wide.locator("#games").text_content())
    game = next(each for each in games if len(each["cells"]) > 30)
    address = f"{night}#game-{game['id']}-ply-{len(game['cells']) - 8}"
    viewer = opened(browser, address, scheme="dark").locator("#viewer")
    viewer.screenshot(path=PICTURES / "replay.png")
    shot(opened(browser, gate, scheme="light"), "gate.png", "#verdict", "#failures")


def opened(browser: Any, address: str, *, scheme: str) -> Any:
    """Return a page with its charts drawn, without the bar that would cover them."""
    page = browser.new_page(
        viewport={"width": 1000, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
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
    page.screenshot(path=PICTURES / name, full_page=True, clip=area)


@contextmanager
def server(database: Path) -> Iterator[str]:
    """Serve the database on a free port, and yield the address."""
    words = [LADDER, "serve", "--db", str(database), "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None  # noqa: S101 - asked for above
        yield process.stdout.readline().strip().rstrip("/")
        process.send_signal(2)


def take_server(browser: Any, address: str, database: Path) -> None:
    """Take the pictures of the server's pages."""
    for name, (path, width, scheme) in SERVED.items():
        page = served(browser, address + path, width=width, scheme=scheme)
        page.wait_for_timeout(1500)
        page.screenshot(path=PICTURES / f"{name}.png")
    game = json.loads(play(database, "games", "--run", "2", "--json"))["games"][0]["game"]
    page = served(browser, f"{address}/games/{game}#game-{game}-ply-24", height=900, scheme="dark")
    page.click("#analyse")
    page.wait_for_selector("#truth-legend:visible", timeout=60_000)
    page.wait_for_timeout(500)
    page.screenshot(path=PICTURES / "server-game.png")
    take_play(browser, address)
    take_boards(browser, address, database)


def served(browser: Any, address: str, *, width: int = 1000, height: int = 760, scheme: str) -> Any:
    """Return a page of the server."""
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(address)
    return page


def take_play(browser: Any, address: str) -> None:
    """Take a picture of a game against v4, with the value of every column."""
    page = served(browser, f"{address}/play?bot=v4", scheme="light")
    page.fill("input[name=amount]", "100")
    for column in COLUMNS:
        page.click(f"#columns button:nth-child({column}):not([disabled])")
        page.wait_for_timeout(2000)
    page.click("#values")
    page.wait_for_selector("#columns small", timeout=60_000)
    page.screenshot(path=PICTURES / "server-play.png")


def take_boards(browser: Any, address: str, database: Path) -> None:
    """Take a picture of the boards of a run, then stop it; its games stay in the database."""
    words = [LADDER, *BOARDS, "--seed", "5", "--concurrency", "2", "--db", str(database)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as run:
        page = served(browser, address, height=900, scheme="light")
        while page.locator(".board-in-play .stone").count() < 16 and run.poll() is None:
            page.wait_for_timeout(200)
        page.screenshot(path=PICTURES / "server-boards.png")
        run.send_signal(2)


if __name__ == "__main__":
    main(*sys.argv[1:])
