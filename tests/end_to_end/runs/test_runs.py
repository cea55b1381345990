"""Runs from the command line to the database: real processes, real signals."""

from typing import Any

import pytest

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.traces import query


@pytest.mark.slow
@pytest.mark.both_databases
def test_a_first_run_makes_the_database_plays_and_reports(
    ladder: Ladder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    words = ("--bots", "v4,stupid,random", "--simulations", "4", "--concurrency", "1")
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
    ladder.environment["LADDER_CACHE"] = str(tmp_path_factory.mktemp("cache"))  # quick to measure
    assert ladder("doctor", "--json").code == 0


@pytest.mark.very_slow
def test_a_run_ends_at_the_wanted_error(ladder: Ladder, tmp_path_factory: Any) -> None:
    """The number of workers changes neither the moment nor the games before it."""
    words = (
        "run", "--bots", "steady,stupid,random", "--boards", "5x5", "--simulations", 1, "--seed", 3,
        "--until-error", 70, "--json",
    )  # fmt: skip
    one = ladder.stock()(*words, "--concurrency", 1)
    other = Ladder(tmp_path_factory.mktemp("other")).stock()(*words, "--concurrency", 2)
    assert (one.code, other.code) == (0, 0), one.err + other.err
    assert "until 70" in one.err
    games = one.document["run"]["games"]
    assert 40 <= games < 1000
    # Pairs in play are finished: up to 64 of them, which quick workers have in batches.
    assert abs(other.document["run"]["games"] - games) <= 2 * 64 * 2
    assert all(bot["error95"] < 75 for bot in one.document["report"]["bots"])
