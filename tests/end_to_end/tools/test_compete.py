"""`ladder compete`: the course's match program and its result file."""

import re
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Ladder
from tests.support.hosted import compiled

ROUND = re.compile(r"(\d+):\n(-?\d)\t(\d+)\t(\d+)\n(-?\d)\t(\d+)\t(\d+)\n\n")


def library(folder: Path, name: str, *flags: str) -> str:
    compiled(folder, *flags)
    return str((folder / "strategy.so").rename(folder / name).name)


def codes(folder: Path) -> list[int]:
    text = (folder / "result.txt").read_text()
    assert ROUND.sub("", text).startswith("Stat:\n")
    rounds = ROUND.findall(text)
    assert [int(found[0]) for found in rounds] == list(range(len(rounds)))
    return [int(found[place]) for found in rounds for place in (1, 4)]


@pytest.mark.slow
def test_the_result_file_has_the_layout_of_the_course(ladder: Ladder) -> None:
    """Rounds, games and statistics are written as the course's scripts read them."""
    good = library(ladder.folder, "a.so")
    other = library(ladder.folder, "b.so")
    done = ladder("compete", good, other, "result.txt", 3, "--seed", 4, "--time", "60s")
    assert done.code == 0, done.err
    found = codes(ladder.folder)
    assert len(found) == 6
    assert set(found) <= {0, 1, 2}
    a, b = found.count(1) / 6, found.count(2) / 6
    text = (ladder.folder / "result.txt").read_text()
    assert text.endswith(
        f"Stat:\nratio of A wins : {a:g}\nratio of B wins : {b:g}\nratio of Tie : {1 - a - b:g}\n\n"
        f"ratio of (A wins + tie) : {1 - b:g}\nratio of (B wins + tie) : {1 - a:g}\n"
    )
    assert done.out == text[text.index("Stat:") :]
    assert not (ladder.folder / "ladder.db").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flag", "as_a", "as_b"),
    [
        ("SEGFAULT_GET", 3, 5),
        ("OFF_THE_BOARD", 4, 6),
        ("HANGS", 7, 8),
        ("NO_CLEAR", -3, -4),
        ("", -1, -2),
    ],
)
def test_failures_have_the_course_s_codes(ladder: Ladder, flag: str, as_a: int, as_b: int) -> None:
    """Each failure has the code of its kind and side, in both games of the round."""
    good = library(ladder.folder, "good.so")
    bad = library(ladder.folder, "bad.so", flag) if flag else "missing.so"
    for words, code in [((bad, good), as_a), ((good, bad), as_b)]:
        for _ in range(5):  # a delay by the host cancels a round, with exit code 5
            done = ladder("compete", *words, "result.txt", 1, "--time", "300ms")
            if done.code != 5:
                break
        assert done.code == (0 if code > 0 else 2), done.err
        assert codes(ladder.folder) == [code, code]
        assert ("ratio of" in done.out) == (code > 0)
        assert f"code {code}: " in done.err
    wins = 1.0 if as_b > 0 else 0.0
    assert f"ratio of A wins : {wins:g}\n" in (ladder.folder / "result.txt").read_text()
