"""`ladder report --html` and `--regressions`, from a stored database."""

import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ladder.cli.conftest import Command
from tests.support.former import write_former

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    """Return the folder of the commands, with a database of a former release."""
    write_former(str(tmp_path / "ladder.db"))
    return tmp_path


def test_a_page_is_written_and_written_again(ladder: Command, folder: Path) -> None:
    """A page that ladder wrote is replaced without asking, and marks the bot of an anchor."""
    ladder("runs")  # migrates the file
    for _ in range(2):
        done = ladder("report", "--html", "night.html", "--anchor", "v2=1500")
        assert (done.code, done.err) == (0, "wrote the report to night.html\n")
    page = (folder / "night.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "v3 leads" in page
    assert "v2 (anchor)" in page
    assert sorted(path.name for path in folder.glob("*.html*")) == ["night.html"]


def test_another_programs_file_is_kept(ladder: Command, folder: Path) -> None:
    """Only --force replaces a file that ladder did not write."""
    (folder / "diary.html").write_text("dear diary")
    assert "a file of another program" in ladder("report", "--html", "diary.html").err
    assert (folder / "diary.html").read_text() == "dear diary"
    both = ladder("report", "--html", "diary.html", "--force", "--json")
    assert both.document["bots"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["/proc/night.html"], "cannot be written"),
        (["night.html", "--since", "2030-01-01"], "has no rated games"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused(
    ladder: Command, folder: Path, words: list[str], sentence: str
) -> None:
    """One sentence, exit code 2, no file."""
    done = ladder("report", "--html", *words)
    assert (done.code, sentence in done.err) == (2, True)
    assert list(folder.glob("*.html")) == []


def test_a_lost_step_ends_with_exit_code_3(ladder: Command, folder: Path) -> None:
    """A line of descent in the database is enough for the command to find the step."""
    with sqlite3.connect(folder / "ladder.db") as connection:
        connection.execute("update bots set based_on = 'v2' where name = 'zed'")
    connection.close()
    lost = ladder("report", "--regressions", "--json")
    (step,) = lost.document["regressions"]
    assert (lost.code, step["bot"], step["based_on"]) == (3, "zed", "v2")
    assert step["elo"] + step["error95"] < 0
    allowed = ladder("report", "--regressions", "--threshold", "4000")
    assert allowed.code == 0
    assert "no version has lost more than 4000 Elo" in allowed.out


def test_an_undecided_step_is_listed_with_its_chance(ladder: Command) -> None:
    """A step whose interval contains the threshold is listed; exit code 4 comes on request."""
    undecided = ladder("report", "--regressions", "--json").document["undecided"]
    assert undecided
    for step in undecided:
        assert step["low"] < 0
        assert step["high"] is None or step["high"] > 0
        assert (step["los"] < 0.5) is (step["elo"] < 0)
    text = ladder("report", "--regressions")
    assert text.code == 0
    for step in undecided:
        assert re.search(f"{step['bot']} is .*than {step['based_on']}", text.out)
    assert ladder("report", "--regressions", "--fail-undecided").code == 4


def test_an_anchor_fixes_a_rating(ladder: Command) -> None:
    """The differences stay, and the anchored bot stands where it was put."""
    before, now = (
        {bot["name"]: bot["elo"] for bot in ladder("report", "--json", *words).document["bots"]}
        for words in ((), ("--anchor", "v2=1500"))
    )
    assert now["v2"] == pytest.approx(1500.0)
    assert now["v3"] - now["v2"] == pytest.approx(before["v3"] - before["v2"], abs=40)


def test_a_printed_report_imports_nothing_of_pages(folder: Path) -> None:
    """Charts and Jinja2 take a second to load that a table need not wait for."""
    code = (
        "import sys; from ladder.cli.main import run_command; code = run_command(['report']);"
        "heavy = {'altair', 'jinja2', 'vl_convert', 'reports.html', 'pandas', 'narwhals'};"
        "print(sorted(heavy & set(sys.modules)), code, file=sys.stderr)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[] 0"
