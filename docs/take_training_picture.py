"""Take the picture of the training that ships: ``python docs/take_training_picture.py``.

The figures are those of the tables in docs/results/training-v21.md, drawn as the command itself
draws them when a training ends. Needs chromium on PATH and the project's test tools.
"""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from take_pictures import FLAGS, FOLDER, opened

from ladder.learning.value.fitting import CalibrationBin, Quality
from ladder.learning.value.folder import GenerationRecord
from ladder.learning.value.loop import LearningState
from ladder.learning.value.settings import (
    DEFAULT_BOARDS,
    DEFAULT_GAMES,
    DEFAULT_PLAYER,
    DEFAULT_SIMULATIONS,
    LearningSettings,
)
from reports.html.findings import finding_page, training_figures
from reports.train import training_finding

RECORD = Path(__file__).parent / "results" / "training-v21.md"


def tables(text: str) -> list[list[list[float]]]:
    """Return the numbers of each table of a Markdown text, without its head."""
    found: list[list[list[float]]] = []
    before = ""
    for line in text.splitlines():
        if line.startswith("|---"):
            found.append([])
        elif line.startswith("|") and before.startswith("|"):
            cells = line.strip("|").split("|")
            found[-1].append([float(cell.strip(" %").replace(",", "")) for cell in cells])
        before = line
    return found


def page_of(state: LearningState) -> str:
    """Return the page that the command writes."""
    finding = training_finding(state, "weights.npz")
    return finding_page(finding, training_figures(finding.document))


def state_of(text: str) -> LearningState:
    """Return the training that the tables describe; without its seconds."""
    generations, tenths = tables(text)
    bins = tuple(CalibrationBin(int(count), *means) for *means, count in tenths)
    records = [
        GenerationRecord(
            int(number),
            DEFAULT_GAMES,
            int(positions),
            Quality(learned, held_out, searched, right / 100, bins),
            seconds=0,
        )
        for number, positions, learned, held_out, searched, right, _ in generations
    ]
    settings = LearningSettings(
        seed=1,
        player=DEFAULT_PLAYER,
        simulations=DEFAULT_SIMULATIONS,
        games=DEFAULT_GAMES,
        boards=DEFAULT_BOARDS,
    )
    return LearningState(settings, target=len(records), records=records)


def main() -> None:
    """Write the picture."""
    state = state_of(RECORD.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "training.html"
        path.write_text(page_of(state), encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or "chromium", args=FLAGS
        )
        page = opened(browser, path.as_uri(), width=1000, scheme="light")
        page.add_style_tag(content="header, footer, #training, table{display:none}")
        page.locator("main").screenshot(path=FOLDER / "training.png")
        browser.close()


if __name__ == "__main__":
    main()
