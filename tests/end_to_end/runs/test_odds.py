"""Odds matches: one bot has more time than the other, in a division of its own."""

from collections.abc import Callable

import pytest

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.traces import query

# The margin leaves nothing to the clock: these bots answer at once, and a busy machine does not.
SMALL = ("--boards", "5x5", "--margin", "60s", "--concurrency", 1, "--seed", 5)
LABEL = "5x5+4/100ms,steady=200ms"


@pytest.mark.slow
def test_an_odds_match_has_a_division_of_its_own(ladder: Ladder) -> None:
    """Lists must show the odds, and exported games come back into the same division."""
    words = ("match", "steady", "stupid", "--games", 2, "--rated", *SMALL)
    assert ladder.stock()(*words, "--time", "100ms").code == 0
    done = ladder(*words, "--time", "steady=200ms,100ms")
    assert done.code == 0, done.err
    assert LABEL in done.out
    assert "100 ms (steady 200 ms) a move" in done.err
    assert query(ladder.folder, "select label from divisions order by id") == [
        ("5x5+4/100ms",), (LABEL,),
    ]  # fmt: skip
    listed = ladder("runs", "--json").document["runs"]
    assert [run["division"] for run in listed] == [LABEL, "5x5+4/100ms"]
    assert "(steady 200 ms)" in listed[0]["title"]
    report = ladder("report", "--division", LABEL, "--json").document
    assert report["division"]["budget"] == {"time_ms": 100, "time_ms@steady": 200}
    assert ladder("export", "--format", "jsonl", "-o", "games.jsonl").code == 0
    back = ladder("import", "games.jsonl", "--db", "other.db")
    assert back.code == 0, back.err
    again = ladder("report", "--division", LABEL, "--json", "--db", "other.db").document
    assert (again["division"], again["games"]) == (report["division"], 2)


@pytest.mark.very_slow
def test_a_stopped_odds_match_is_listed_with_its_command(
    ladder: Ladder, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    """The listed command must hold the odds; odds for a bot that does not play are refused."""
    odds = ("--time", "steady=200ms,100ms", *SMALL)
    with ladder.stock().slow():
        process = ladder.start("match", "steady", "stupid", "--games", 40, *odds)
        eventually(lambda: query(ladder.folder, "select count(*) from games")[0][0] >= 2)
        assert ladder.interrupt(process).code == 130
    told = ladder("run", "--resume", "--bots", "random,stupid", *SMALL)
    assert "--time steady=200ms,100ms" in told.err
    refused = ladder("match", "random", "stupid", *odds)
    assert refused.code == 2
    assert "--time: steady does not play in this run" in refused.err


@pytest.mark.slow
def test_a_match_under_a_clock_is_listed_exported_and_replayed(ladder: Ladder) -> None:
    """Clocks with odds make a division of their own that comes back from an export."""
    words = ("match", "steady", "stupid", "--games", 2, "--rated", *SMALL)
    done = ladder.stock()(*words, "--clock", "steady=20s+1s,10s+100ms")
    assert done.code == 0, done.err
    label = "5x5+4/10s+100ms,steady=20s+1s"
    assert label in done.out
    assert "clock 10s+100ms (steady 20s+1s)" in done.err
    first = ladder("replay", "1", "--json").document
    left = first["timing"]["left_us"]
    spent = first["timing"]["moves"][0]["time_us"]
    base = 21_000_000 if first["first"] == "steady" else 10_100_000
    assert left[0] == base - spent
    assert ladder("export", "--format", "jsonl", "-o", "games.jsonl").code == 0
    back = ladder("import", "games.jsonl", "--db", "other.db")
    assert back.code == 0, back.err
    report = ladder("report", "--division", label, "--json", "--db", "other.db").document
    assert report["division"]["budget"] == {
        "clock_ms": 10_000, "increment_ms": 100,
        "clock_ms@steady": 20_000, "increment_ms@steady": 1000,
    }  # fmt: skip
    assert report["games"] == 2
