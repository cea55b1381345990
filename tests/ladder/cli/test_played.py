"""Runs whose pairs are played at random in this process: what is played again, and listed."""

from functools import partial
from pathlib import Path

import pytest

from tests.end_to_end.traces import query
from tests.ladder.cli.conftest import Command
from tests.support.instant_workforce import InstantWorkforce

SMALL = ("--boards", "5x5", "--simulations", "20", "--seed", "5")


@pytest.fixture
def playing(ladder: Command) -> Command:
    """Return a function that runs a command, with the workers of this process."""
    return partial(ladder, workforce=InstantWorkforce())


@pytest.mark.slow
def test_resume_only_completes_an_interrupted_run(playing: Command, tmp_path: Path) -> None:
    """Without an interrupted run `--resume` must report that, play nothing, and succeed."""
    assert playing("run", "--bots", "random,stupid", *SMALL, "--games", "2").code == 0
    done = playing("run", "--bots", "random,stupid", *SMALL, "--games", "2", "--resume")
    assert done.code == 0
    assert "nothing to resume" in done.err
    assert query(tmp_path, "select count(*) from games") == [(2,)]


@pytest.mark.slow
def test_a_run_of_some_bots_prints_those_alone(playing: Command) -> None:
    """After a run its bots alone must be listed, with places of their own."""
    assert playing("run", "--bots", "v1,v2,random,stupid", "--games", "24", *SMALL).code == 0
    done = playing("run", "--bots", "random,v2", "--games", "2", *SMALL)
    assert "2 of 4 bots are shown" in done.out
    rows = done.out.split("max ms\n")[1].splitlines()[:2]
    listed = [bot["name"] for bot in playing("report", "--json").document["bots"]]
    assert len(listed) == 4
    shown = [name for name in listed if name in ("random", "v2")]
    assert [row.split()[:2] for row in rows] == [["1", shown[0]], ["2", shown[1]]]


@pytest.mark.slow
def test_a_match_stays_outside_the_rating_list(playing: Command) -> None:
    """A match must be stored and shown, and rated only when asked."""
    words = ("match", "stupid", "random", "--games", "6", "--simulations", "30", "--json")
    done = playing(*words)
    assert done.code == 0, done.err
    assert done.document["report"]["games"] == 6
    result = done.document["match"]
    assert (result["a"], result["b"], sum(result["wdl"])) == ("stupid", "random", 6)
    assert sum(result["pentanomial"]) == 3
    assert playing("report", "--json").document["games"] == 0
    assert playing(*words, "--rated").code == 0
    assert playing("report", "--json").document["games"] == 6


@pytest.mark.slow
def test_a_seed_repeats_the_stored_verdict(playing: Command, tmp_path: Path) -> None:
    """The same question is not played again, until --new asks for it, which is recorded."""
    words = ("gate", "random", "--against", "stupid", *SMALL, "--min-gain", "150")
    first = playing(*words, "--max-games", "6", "--json").document
    assert (first["verdict"], first["question"], first["repeated"]) == (
        "inconclusive", "better", False,
    )  # fmt: skip
    done = playing(*words, "--json")  # more games may be played: the gate is continued
    assert done.code == 3, done.err
    assert "games are expected if better by 150 Elo" in done.err
    assert (done.document["verdict"], done.document["repeated"]) == ("no_gain", False)
    assert query(tmp_path, "select id from runs") == [(1,)]
    repeated = playing(*words, "--max-games", "4", "--concurrency", "2")
    assert repeated.code == 3
    assert repeated.out.startswith("NO GAIN: random is not better than stupid by 150 Elo or more")
    assert "run 1 of " in repeated.out
    again = playing(*words, "--new", "--json").document
    assert again["asked_before"] == [{"run": 1, "verdict": "no_gain"}]
    assert "(asked again)" in playing("runs").out
    other = playing(*words, "--alpha", "0.1", "--json").document
    assert (other["repeated"], other["asked_before"]) == (False, [])
    assert query(tmp_path, "select id from runs") == [(1,), (2,), (3,)]


@pytest.mark.slow
def test_a_match_with_a_seed_is_shown_again_or_continued(playing: Command, tmp_path: Path) -> None:
    """The same games are not played twice; more games are added, and --new plays others."""
    words = ("match", "random", "stupid", *SMALL, "--json")
    first = playing(*words, "--games", "6").document
    again = playing(*words, "--games", "4").document
    assert (first["repeated"], again["repeated"]) == (False, True)
    assert again["match"] == first["match"]
    more = playing(*words, "--games", "8").document
    assert (more["repeated"], sum(more["match"]["wdl"])) == (False, 8)
    assert query(tmp_path, "select id from runs") == [(1,)]
    assert sum(playing(*words, "--games", "4", "--new").document["match"]["wdl"]) == 4
    assert query(tmp_path, "select count(*) from games") == [(12,)]
