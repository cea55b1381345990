"""Short benchmarks from the command line; the measured values are not asserted."""

import pytest

from tests.end_to_end.conftest import Ladder


@pytest.mark.slow
def test_the_harness_is_measured(ladder: Ladder) -> None:
    """The document has the documented keys, and nothing stays in the folder."""
    done = ladder("bench", "harness", "--games", "40", "--concurrency", "1", "--json")
    assert done.code == 0, done.err
    assert done.document["games"] == 40
    assert {"games_per_second", "plies_per_second", "microseconds_per_ply"} <= set(done.document)
    assert list(ladder.folder.iterdir()) == []


@pytest.mark.slow
def test_the_searches_are_measured(ladder: Ladder) -> None:
    """There is a row for every player and board, with null for players that do not search."""
    done = ladder(
        "bench", "search", "--bots", "v4,random", "--boards", "6x7,11x11@5,5", "--seconds", "0.02",
        "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    rows = {(row["bot"], row["board"]): row for row in done.document}
    assert len(rows) == 4
    assert rows["random", "6x7"]["simulations_per_second"] is None
    assert rows["v4", "11x11@5,5"]["simulations_per_second"] > 0
