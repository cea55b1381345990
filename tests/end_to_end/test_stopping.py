"""Ends of runs: by signals at any moment, by targets, and what is there afterwards."""

from collections.abc import Callable

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.traces import QUICK, lines_of_safely, query


def test_a_target_given_after_an_open_run_is_kept(
    ladder: Ladder, eventually: Callable[..., None]
) -> None:
    """What a run without a target has planned must not carry a later target past its end."""
    words = ("run", *QUICK, "--seed", "9")
    process = ladder.start(*words)
    eventually(lambda: len(lines_of_safely(ladder.folder)) >= 4)
    assert ladder.interrupt(process).code == 130
    played = query(ladder.folder, "select count(*) from games")[0][0]
    planned = query(ladder.folder, "select count(*) from pairs where status = 'planned'")[0][0]
    assert planned > 8
    done = ladder(*words, "--games", played + 6)
    assert done.code == 0, done.err
    assert query(ladder.folder, "select count(*) from games") == [(played + 6,)]
    rest = "select count(*) from pairs where status = 'planned'"
    assert query(ladder.folder, rest) == [(planned - 3,)]
    # The next run of the stream takes them up before it plans any other.
    assert ladder(*words, "--games", 4).code == 0
    assert query(ladder.folder, rest) == [(planned - 5,)]
    numbers = query(ladder.folder, "select number from pairs where status = 'finished' order by 1")
    assert numbers == [(number,) for number in range(played // 2 + 5)]
