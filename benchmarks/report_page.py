"""What the page of a full database costs: to write, in bytes, and to open in a browser.

    python -m benchmarks.report_page [--games 1000000] [--bots 20] [--keep FOLDER]

Makes a database (random games between made-up bots, multiplied in bulk), then
writes its page with 200 and with 2,000 games, by processor time and by wall time beyond the printed
report, and opens both in Chromium (on PATH; without it that part is left out).
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.large_database import fill, new_run, play_pairs
from db.records.bots import NewBot, NewRevision
from db.records.launch import Launch
from db.store import Store

PLAYED = 2000
"""Pairs that are made one by one; the others are copies of them."""
ROUNDS = 3


def make(path: Path, bots: int, games: int) -> None:
    """Make a database with a number of games."""
    with Store.open(str(path)) as store:
        launch = Launch(command=("true",), folder="/")
        for number in range(1, bots + 1):
            based_on = f"bot{number - 1:02}" if number > 1 else None
            revision = NewRevision(f"content {number}", launch, ("time",))
            store.bots.add(
                NewBot(f"bot{number:02}", "exec", "exec:true", revision, based_on, "an idea")
            )
        play_pairs(store, new_run(store), min(PLAYED, games // 2), start=7)
    fill(path, games)


def spent(path: Path, *words: str) -> tuple[float, float]:
    """Return wall and processor seconds of `ladder report`, the least of some rounds."""
    command = [sys.executable, "-c", "from ladder.cli.main import main; main()", "report", *words]
    found = []
    for _ in range(ROUNDS):
        wall, before = time.perf_counter(), os.times()
        subprocess.run(
            command,
            env={**os.environ, "LADDER_DB": str(path)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        after = os.times()
        cpu = after.children_user + after.children_system
        cpu -= before.children_user + before.children_system
        found.append((time.perf_counter() - wall, cpu))
    return min(wall for wall, _ in found), min(cpu for _, cpu in found)


def opened(pages: list[Path]) -> None:
    """Open each page from disk; print when it was readable and when its charts were drawn."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        print("no chromium on PATH: pages were not opened")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        for file in pages:
            times = []
            for _ in range(ROUNDS):
                page = browser.new_page()
                page.goto(file.as_uri())
                page.wait_for_selector("body[data-charts=drawn]")
                times.append(
                    page.evaluate(
                        "[performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd,"
                        " performance.getEntriesByName('drawn')[0].startTime]"
                    )
                )
                page.close()
            ready, drawn = (min(each) / 1000 for each in zip(*times, strict=True))
            print(
                f"{file.name}: games listed after {ready:.2f} s, charts drawn after {drawn:.2f} s"
            )
        browser.close()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--bots", type=int, default=20)
    parser.add_argument("--keep", type=Path, help="keep database and pages in this folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=".") as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder.resolve() / f"{given.games}.db"
        if not path.exists():
            begun = time.perf_counter()
            make(path, given.bots, given.games)
            print(f"{given.games:,} games made in {time.perf_counter() - begun:.0f} s")
        plain_wall, plain_cpu = spent(path)
        print(f"printed report: {plain_wall:.2f} s, {plain_cpu:.2f} s of processor time")
        pages = []
        for embedded in (200, 2000):
            page = path.with_name(f"page-{embedded}.html")
            wall, cpu = spent(path, "--html", str(page), "--games", str(embedded))
            pages.append(page)
            print(
                f"page with {embedded:,} games: {wall - plain_wall:.2f} s and "
                f"{cpu - plain_cpu:.2f} s of processor time beyond that, "
                f"{page.stat().st_size / 2**20:.2f} MiB"
            )
        opened(pages)


if __name__ == "__main__":
    main()
