"""The statistics calculator against published numbers."""

import math

import pytest

from tests.end_to_end.conftest import Ladder


def test_elo_of_a_published_pentanomial_is_that_of_fastchess(ladder: Ladder) -> None:
    """Elo, its error and normalized Elo equal those of fastchess's tests."""
    document = ladder("stats", "elo", "--penta", "34,54,63,64,75", "--json").document
    assert list(document) == [
        "score", "elo", "error95", "nelo", "nelo_error95", "los", "games",
    ]  # fmt: skip
    assert document["elo"] == pytest.approx(55.58, abs=0.05)
    assert document["error95"] == pytest.approx(27.65, abs=0.05)
    assert document["nelo"] == pytest.approx(57.94, abs=0.05)
    assert document["games"] == 580


def test_sprt_of_a_published_game_count_is_that_of_fastchess(ladder: Ladder) -> None:
    """The LLR, its bounds and its state equal those of fastchess's tests."""
    words = ("--wdl", "36433,68692,36027", "--elo0", "0", "--elo1", "2", "--model", "normalized")
    document = ladder("stats", "sprt", *words, "--json").document
    assert list(document) == ["llr", "lower", "upper", "state"]
    assert document["llr"] == pytest.approx(0.92, abs=0.01)
    assert document["upper"] == pytest.approx(math.log(19))
    assert document["state"] == "continue"
    assert "no decision yet" in ladder("stats", "sprt", *words).out


@pytest.mark.slow
def test_a_shutout_is_reported_as_a_bound(ladder: Ladder) -> None:
    """Text has only a bound, and JSON has its key; pairs are used where they are given."""
    for words, shown, key, bound in (
        (("--wdl", "100,0,0"), "at least +606.8 (95 %)", "elo_at_least", 606.79),
        (("--penta", "0,0,0,0,50"), "at least +483.8 (95 %)", "elo_at_least", 483.757),
        (("--penta", "50,0,0,0,0"), "at most -483.8 (95 %)", "elo_at_most", -483.757),
    ):
        text = ladder("stats", "elo", *words).out
        assert shown in text
        assert "±" not in text
        assert "1199" not in text
        document = ladder("stats", "elo", *words, "--json").document
        assert document[key] == pytest.approx(bound, abs=0.01)
    assert not any("at_" in key for key in ladder(
        "stats", "elo", "--wdl", "5,1,2", "--json"
    ).document)  # fmt: skip
    assert "chance to be better  at least 75.00%" in ladder(
        "stats", "elo", "--penta", "0,0,0,0,2"
    ).out  # fmt: skip


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("elo",), "--wdl"),
        (("elo", "--wdl", "1,2,3", "--penta", "1,2,3,4,5"), "--wdl"),
        (("los", "--penta", "0,0,0,0,0"), "--penta"),
        (("los", "--wdl", "9" * 5000 + ",0,0"), "--wdl"),
        (("sprt", "--wdl", "1,2,3", "--elo0", "5", "--elo1", "0"), "elo0"),
        (("sprt", "--wdl", "1,2,3", "--elo0", "0", "--elo1", "5", "--alpha", "0.7"), "alpha"),
    ],
)
def test_invalid_counts_are_refused(ladder: Ladder, words: tuple[str, ...], named: str) -> None:
    """Bad counts and hypotheses exit with 2 and a sentence that names the option."""
    done = ladder("stats", *words)
    assert done.code == 2, done.out
    assert named in done.err
    assert "Traceback" not in done.err
