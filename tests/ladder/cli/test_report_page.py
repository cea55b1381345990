"""`ladder report --html` and `--regressions`, from a stored database."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from ladder.cli.main import run_command

DATABASE = Path(__file__).resolve().parents[2] / "data" / "first_stage" / "games.db.gz"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a database of 54 games."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ladder.db").write_bytes(gzip.decompress(DATABASE.read_bytes()))
    return tmp_path


@pytest.mark.slow
def test_a_page_is_written_and_written_again(folder: Path) -> None:
    """A page that ladder wrote is replaced without asking."""
    for _ in range(2):
        assert run_command(["report", "--html", "night.html"]) == 0
    page = (folder / "night.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "v12 leads" in page
    assert sorted(path.name for path in folder.glob("*.html*")) == ["night.html"]


@pytest.mark.slow
def test_another_programs_file_is_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only --force replaces a file that ladder did not write."""
    (folder / "diary.html").write_text("dear diary")
    assert run_command(["report", "--html", "diary.html"]) == 2
    assert "a file of another program" in capsys.readouterr().err
    assert (folder / "diary.html").read_text() == "dear diary"
    assert run_command(["report", "--html", "diary.html", "--force"]) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--html", "missing/night.html"], "does not exist"),
        (["--html", "."], "is a folder"),
        (["--html", "/proc/night.html"], "cannot be written"),
        (["--html", "night.html", "--since", "2030-01-01"], "has no rated games"),
        (["--html", "night.html", "--regressions"], "contradict each other"),
        (["--html", "night.html", "--games", "-1"], "--games"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused(
    folder: Path, words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence, exit code 2, no file."""
    assert run_command(["report", *words]) == 2
    assert sentence in capsys.readouterr().err
    assert list(folder.glob("*.html")) == []


@pytest.mark.slow
def test_a_lost_step_ends_with_exit_code_3(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line of descent in the database is enough for the command to find the step."""
    import sqlite3

    with sqlite3.connect(folder / "ladder.db") as connection:
        connection.execute("update bots set based_on = 'v12' where name = 'random'")
    connection.close()
    assert run_command(["report", "--regressions", "--json"]) == 3
    (step,) = json.loads(capsys.readouterr().out)["regressions"]
    assert (step["bot"], step["based_on"]) == ("random", "v12")
    assert step["elo"] + step["error95"] < 0
    assert run_command(["report", "--regressions", "--threshold", "4000"]) == 0
    assert "no version has lost more than 4000 Elo" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_an_undecided_step_is_listed_with_its_chance(capsys: pytest.CaptureFixture[str]) -> None:
    """A step whose interval contains the threshold is listed; exit code 4 comes on request."""
    assert run_command(["report", "--regressions", "--json"]) == 0
    undecided = json.loads(capsys.readouterr().out)["undecided"]
    assert undecided
    for step in undecided:
        assert step["elo"] - step["error95"] < 0 <= step["elo"] + step["error95"]
        assert (step["los"] < 0.5) is (step["elo"] < 0)
    assert run_command(["report", "--regressions"]) == 0
    text = capsys.readouterr().out
    for step in undecided:
        assert f"{step['bot']} against {step['based_on']}: " in text
    assert run_command(["report", "--regressions", "--fail-undecided"]) == 4
    capsys.readouterr()
    assert run_command(["report", "--fail-undecided"]) == 2
    assert "--fail-undecided needs --regressions" in capsys.readouterr().err


@pytest.mark.slow
def test_an_anchor_fixes_a_rating(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The differences stay, the anchored bot stands where it was put, and a page marks it."""
    assert run_command(["report", "--json"]) == 0
    before = {bot["name"]: bot["elo"] for bot in json.loads(capsys.readouterr().out)["bots"]}
    assert run_command(["report", "--json", "--anchor", "v1=1500"]) == 0
    now = {bot["name"]: bot["elo"] for bot in json.loads(capsys.readouterr().out)["bots"]}
    assert now["v1"] == pytest.approx(1500.0)
    assert now["v17"] - now["v1"] == pytest.approx(before["v17"] - before["v1"], abs=40)
    assert run_command(["report", "--html", "night.html", "--anchor", "v1=1500"]) == 0
    assert "v1 (anchor)" in (folder / "night.html").read_text()


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_a_printed_report_imports_nothing_of_pages() -> None:
    """Altair and Jinja2 take a second to load that a table need not wait for."""
    code = (
        "import sys; from ladder.cli.main import run_command; code = run_command(['report']);"
        "heavy = {'altair', 'jinja2', 'vl_convert', 'reports.html', 'pandas', 'narwhals'};"
        "print(sorted(heavy & set(sys.modules)), code, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[] 0"
