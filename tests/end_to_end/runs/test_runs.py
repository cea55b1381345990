"""Runs from the command line to the database: real processes, real signals."""

from typing import Any

import pytest

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.traces import (
    QUICK_ALONE,
    lines_of,
    query,
)


@pytest.fixture
def stocked(ladder: Ladder) -> Ladder:
    """Return a folder with a database for `QUICK`."""
    return ladder.stock()


@pytest.mark.slow
@pytest.mark.both_databases
def test_a_first_run_makes_the_database_plays_and_reports(ladder: Ladder) -> None:
    words = ("--bots", "v4,stupid,random", "--simulations", "40", "--concurrency", "2")
    done = ladder("run", *words, "--games", "11", "--seed", "5", "--json")
    assert done.code == 0, done.err
    document = done.document
    assert document["run"]["games"] == 12
    assert document["run"]["status"] == "finished"
    report = document["report"]
    assert report["games"] == 12
    assert report["pairs"] == 6
    assert {bot["name"] for bot in report["bots"]} <= {"v4", "stupid", "random"}
    assert sum(bot["games"] for bot in report["bots"]) == 24
    assert sum(bot["wins"] for bot in report["bots"]) == sum(
        bot["losses"] for bot in report["bots"]
    )
    assert query(ladder.db, "select count(*) from games") == [(12,)]
    assert ladder("doctor", "--json").code == 0


@pytest.mark.slow
def test_the_same_seed_gives_the_same_games_on_any_number_of_workers(
    ladder: Ladder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Under a work budget a run must be reproducible, whichever worker plays a pair."""
    other = Ladder(tmp_path_factory.mktemp("other"))
    words = ("run", "--bots", "stupid,random", "--simulations", "30", "--games", "8", "--seed", "3")
    assert ladder(*words, "--concurrency", "1").code == 0
    assert other(*words, "--concurrency", "2").code == 0
    assert lines_of(ladder.db) == lines_of(other.folder)


@pytest.mark.slow
def test_resume_only_completes_an_interrupted_run(stocked: Ladder) -> None:
    """Without an interrupted run `--resume` must report that, play nothing, and succeed."""
    assert stocked("run", *QUICK_ALONE, "--games", "2").code == 0
    done = stocked("run", *QUICK_ALONE, "--games", "2", "--resume")
    assert done.code == 0
    assert "nothing to resume" in done.err
    assert query(stocked.db, "select count(*) from games") == [(2,)]


@pytest.mark.slow
def test_a_run_of_some_bots_prints_those_alone(stocked: Ladder) -> None:
    """After a run its bots alone must be listed, with places of their own."""
    words = ("--boards", "5x5", "--simulations", "10", "--seed", "3", "--concurrency", "1")
    assert stocked("bots", "add", "other", "builtin:random").code == 0
    first = ("run", "--bots", "other,steady,random,stupid", "--games", "24", *words)
    assert stocked(*first).code == 0
    done = stocked("run", "--bots", "random,steady", "--games", "2", *words)
    assert "2 of 4 bots are shown" in done.out
    rows = done.out.split("max ms\n")[1].splitlines()[:2]
    listed = [bot["name"] for bot in stocked("report", "--json").document["bots"]]
    assert len(listed) == 4
    shown = [name for name in listed if name in ("random", "steady")]
    assert [row.split()[:2] for row in rows] == [["1", shown[0]], ["2", shown[1]]]


@pytest.mark.slow
def test_a_match_stays_outside_the_rating_list(ladder: Ladder) -> None:
    """A match must be stored and shown, and rated only when asked."""
    words = ("match", "stupid", "random", "--games", "6", "--simulations", "30", "--json")
    words = (*words, "--concurrency", "1")
    done = ladder(*words)
    assert done.code == 0, done.err
    assert done.document["report"]["games"] == 6
    result = done.document["match"]
    assert (result["a"], result["b"], sum(result["wdl"])) == ("stupid", "random", 6)
    assert sum(result["pentanomial"]) == 3
    assert ladder("report", "--json").document["games"] == 0
    assert ladder(*words, "--rated").code == 0
    assert ladder("report", "--json").document["games"] == 6


@pytest.mark.slow
def test_a_run_ends_at_the_wanted_error(ladder: Ladder, tmp_path_factory: Any) -> None:
    """The number of workers changes neither the moment nor the games before it."""
    words = (
        "run", "--bots", "steady,stupid,random", "--boards", "5x5", "--simulations", 1, "--seed", 3,
        "--until-error", 70, "--json",
    )  # fmt: skip
    one = ladder.stock()(*words, "--concurrency", 1)
    other = Ladder(tmp_path_factory.mktemp("other")).stock()(*words, "--concurrency", 3)
    assert (one.code, other.code) == (0, 0), one.err + other.err
    assert "until 70" in one.err
    games = one.document["run"]["games"]
    assert 40 <= games < 1000
    # Pairs in play are finished: up to 64 of them, which quick workers have in batches.
    assert abs(other.document["run"]["games"] - games) <= 2 * 64 * 2
    assert all(bot["error95"] < 75 for bot in one.document["report"]["bots"])
