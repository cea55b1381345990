"""A match under clocks with odds, from the command line to an export."""

import pytest

from tests.end_to_end.conftest import Ladder

# The margin leaves nothing to the clock: these bots answer at once, and a busy machine does not.
SMALL = ("--boards", "5x5", "--margin", "60s", "--concurrency", 1, "--seed", 5)


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
