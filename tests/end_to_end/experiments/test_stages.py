"""Gates in stages: short games first, long ones for what the short ones spare."""

import re
import shlex
from collections.abc import Callable

import pytest

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.traces import query

# The margin leaves nothing to the clock: these bots answer at once, and a busy machine does not.
SMALL = ("--boards", "5x5", "--margin", "60s", "--concurrency", 1, "--seed", 5)


@pytest.mark.slow
def test_what_passes_the_short_games_is_decided_by_the_long_ones(ladder: Ladder) -> None:
    """Both stages must be reported with their errors, and each be a gate in its own division."""
    words = ("gate", "stupid", "--against", "stupid", "--max-drop", 150, *SMALL)
    done = ladder.stock()(*words, "--stages", "100ms:8,200ms:400", "--json")
    assert done.code == 0, done.err
    document = done.document
    assert document["verdict"] == "pass"
    assert (document["alpha"], document["beta"]) == (0.05, 0.05)
    told = [
        (stage["conditions"], stage["verdict"], stage["max_games"], stage["beta"])
        for stage in document["stages"]
    ]
    assert told == [
        ("5x5+4/100ms", "inconclusive", 8, 0.025),
        ("5x5+4/200ms", "pass", 400, 0.025),
    ]
    assert document["stages"][0]["games"] == 8
    listed = ladder("runs", "--json").document["runs"]
    assert [(run["division"], run["verdict"]) for run in listed] == [
        ("5x5+4/200ms", "pass"),
        ("5x5+4/100ms", "inconclusive"),
    ]


@pytest.mark.slow
def test_a_regression_in_short_games_ends_the_gate(ladder: Ladder) -> None:
    """No long game may be played for a candidate that is worse in short ones."""
    words = ("gate", "random", "--against", "stupid", "--max-drop", 150, *SMALL)
    done = ladder.stock()(*words, "--stages", "100ms:400,200ms:400")
    assert done.code == 3, done.out + done.err
    assert "stage 1 of 2: regression on 5x5+4/100ms" in done.out
    assert query(ladder.folder, "select label from divisions") == [("5x5+4/100ms",)]


@pytest.mark.very_slow
def test_a_stopped_gate_resumes_in_its_stage(
    ladder: Ladder, eventually: Callable[[Callable[[], bool]], None]
) -> None:
    """The printed command must not play the first stage again; a finished gate starts anew."""
    words = ("gate", "steady", "--against", "stupid", *SMALL, "--stages", "200ms:4,300ms:12")
    ladder.stock()
    with ladder.slow():
        process = ladder.start(*words)
        eventually(lambda: query(ladder.folder, "select count(*) from games")[0][0] >= 6)
        assert ladder.interrupt(process).code == 130
    listed = ladder("run", "--resume", "--bots", "random,stupid", "--simulations", 99).err
    (printed,) = re.findall(r"^run \d+ \(.*?\): ladder (.*)$", listed, re.MULTILINE)
    done = ladder(*shlex.split(printed))
    assert done.code == 4, done.err
    assert "stage 1 of 2: inconclusive on 5x5+4/200ms after 4 of 4 games" in done.out
    assert "over all 2 stages: alpha 0.05" in done.out
    games = "select count(*) from games group by run_id order by run_id"
    assert query(ladder.folder, games) == [(4,), (12,)]
    assert ladder(*words).code == 4
    assert query(ladder.folder, games) == [(4,), (12,), (4,), (12,)]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--stages", "20ms"), "--stages: "),
        (("--stages", "20ms:500"), "is not two or more stages with rising times"),
        (("--stages", "100ms:50,20ms:500"), "with rising times"),
        (("--stages", "20ms:1,40ms:500"), "2 or more"),
        (("--stages", "20ms:50,40ms:500", "--time", "10ms"), "leave out"),
        (("--stages", "20ms:50,40ms:500", "--stored"), "leave out"),
    ],
)
def test_bad_stages_are_refused(ladder: Ladder, words: tuple[str, ...], sentence: str) -> None:
    """Each must exit with 2 and one sentence, and leave no database behind."""
    done = ladder("gate", "random", "--against", "stupid", *words)
    assert (done.code, sentence in done.err) == (2, True), done.err
    assert not (ladder.folder / "ladder.db").exists()
