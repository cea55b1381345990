"""Gates from the command line to the database: real players, real signals."""

from xml.etree import ElementTree

import pytest

from tests.end_to_end.conftest import ROOT, Ladder
from tests.end_to_end.traces import query

SMALL = ("--boards", "5x5", "--simulations", "20", "--concurrency", "1", "--seed", "5")
KEYS = {
    "candidate", "against", "verdict", "exit_code", "games", "pentanomial", "wdl", "elo",
    "error95", "los", "llr", "bounds", "elo0", "elo1", "model", "forfeits", "reason",
}  # fmt: skip


@pytest.fixture
def stocked(ladder: Ladder) -> Ladder:
    """Return a folder with a database of the built-in players and `steady`."""
    return ladder.stock()


@pytest.mark.slow
def test_a_bot_against_itself_passes_and_stays_out_of_the_list(stocked: Ladder) -> None:
    """The control must pass, with the documented document, and rate no bot."""
    done = stocked("gate", "stupid", "--against", "stupid", "--max-drop", "100", *SMALL, "--json")
    assert done.code == 0, done.err
    document = done.document
    assert set(document) >= KEYS
    assert document["verdict"] == "pass"
    assert document["candidate"] == "stupid"
    assert document["against"] == ["stupid"]
    assert document["llr"] >= document["bounds"][1]
    assert (document["elo0"], document["elo1"], document["model"]) == (-100, 0, "logistic")
    assert document["games"] == 2 * sum(document["pentanomial"]) == sum(document["wdl"])
    assert query(stocked.db, "select kind, rated, status from runs") == [("gate", 0, "finished")]
    stored = query(stocked.db, "select count(*) from games")[0][0]
    assert stored == document["games"] + document["uncounted_games"]
    assert stocked("report", "--json").document["games"] == 0


@pytest.mark.slow
def test_a_worse_bot_fails_and_the_files_say_so(stocked: Ladder) -> None:
    """A regression must exit with 3, and the files and GitHub's pages must name it."""
    stocked.environment["GITHUB_ACTIONS"] = "true"
    stocked.environment["GITHUB_STEP_SUMMARY"] = str(stocked.folder / "job.md")
    done = stocked(
        "gate", "random", "--against", "stupid", "--max-drop", "20", *SMALL,
        "--junit", "out.xml", "--summary", "out.md", "--html", "out.html",
    )  # fmt: skip
    assert done.code == 3, done.err
    assert done.out.startswith("REGRESSION: random is worse than stupid")
    annotations = [line for line in done.out.splitlines() if line.startswith("::error ")]
    assert len(annotations) == 1
    suite = ElementTree.parse(stocked.folder / "out.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "1", "0")
    properties = {each.get("name"): each.get("value") for each in suite.findall("properties/*")}
    assert int(properties["games"] or "") > 0
    assert {"elo", "llr", "pentanomial"} <= set(properties)
    assert float(suite.get("time", "")) > 0
    assert "REGRESSION" in (stocked.folder / "out.md").read_text()
    page = (stocked.folder / "out.html").read_text()
    assert "Is random worse than stupid?" in page
    assert '"termination":"four in a row"' in page
    stocked("report", "--html", "report.html")
    assert ">regression</span>" in (stocked.folder / "report.html").read_text()
    assert (stocked.folder / "job.md").read_text().startswith("### ladder gate: REGRESSION")
    stocked.environment["GITHUB_STEP_SUMMARY"] = "/nowhere/at/all"
    again = stocked("gate", "random", "--against", "stupid", "--max-drop", "20", *SMALL, "--json")
    assert again.code == 3
    assert again.document["verdict"] == "regression"
    assert "::error " in again.err


@pytest.mark.slow
def test_a_bot_that_does_not_start_makes_the_gate_invalid_and_can_be_repaired(
    stocked: Ladder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Failed starts must be a verdict, and the next gate must not inherit them."""
    marks = tmp_path_factory.mktemp("marks")
    (stocked.folder / "late.sh").write_text(
        f"[ -e {marks}/broken ] && exit 9\n"
        f"exec python3 {ROOT}/tests/fake_bots/bot.py crashes-once .\n"
    )
    assert stocked("bots", "add", "late", "exec:sh late.sh").code == 0
    (marks / "broken").touch()
    words = ("gate", "random", "--against", "late", "--max-drop", "150", *SMALL, "--json")
    done = stocked(*words)
    assert (done.code, done.document["verdict"]) == (5, "invalid"), done.err
    (marks / "broken").unlink()
    assert stocked(*words).code == 3


@pytest.mark.slow
@pytest.mark.both_databases
def test_stored_games_decide_without_playing(stocked: Ladder) -> None:
    """`--stored` must use the games of any run of the conditions, and play none."""
    done = stocked("match", "stupid", "random", *SMALL, "--games", "200")
    assert done.code == 0, done.err
    words = ("--boards", "5x5", "--max-drop", "150", "--stored", "--json")
    better = stocked("gate", "stupid", "--against", "random", "--simulations", "20", *words)
    worse = stocked("gate", "random", "--against", "stupid", "--simulations", "20", *words)
    assert (better.code, worse.code) == (0, 3), better.err + worse.err
    assert better.document["wdl"][0] > better.document["wdl"][2]
    assert better.document["games"] + better.document["uncounted_games"] == 200
    other = stocked("gate", "stupid", "--against", "random", "--simulations", "21", *words)
    assert other.code == 4
    assert other.document["elo"] is None
    assert other.document["reasons"]["elo"]
    assert query(stocked.db, "select count(*) from runs") == [(1,)]
