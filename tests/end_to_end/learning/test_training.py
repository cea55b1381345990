"""`ladder train c4ai` from the command line: real processes, real signals."""

import pytest

from tests.end_to_end.conftest import Ladder


@pytest.mark.slow
def test_a_trained_version_is_registered(ladder: Ladder) -> None:
    """--register makes a bot of the result that lists show, and that plays without its folder."""
    words = ("train", "c4ai", "--generations", "12", "--seed", "3", "--boards", "5x5", "-o", "new")
    done = ladder(*words, "--register", "learned")
    assert done.code == 0, done.err
    weights = (ladder.folder / "new" / "weights.csv").read_text().strip()
    assert done.out.splitlines() == [weights]
    assert "learned is registered" in done.err
    (ladder.folder / "new" / "weights.csv").write_text("1,1,1,1,1,1\n")
    shown = ladder("bots", "show", "learned", "--json").document
    assert (shown["family"], shown["based_on"], shown["revision"]) == ("c4ai", "c4ai", 1)
    assert shown["files"]["option weights"] == weights
    assert "learned" in {row["name"] for row in ladder("bots", "list", "--json").document}
    play = ("--boards", "standard", "--depth", "1", "--games", "2", "--seed", "1", "--json")
    played = ladder("match", "learned", "random", *play)
    assert played.code == 0, played.err
    assert played.document["run"]["games"] == 2
    taken = ladder(*words, "--register", "learned")
    assert taken.code == 2
    assert "already registered" in taken.err
