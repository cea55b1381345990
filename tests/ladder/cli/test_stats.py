"""`ladder stats`: counts are read in their documented order, and bounds are named as such."""

import pytest

from ladder.stats.elo import score_to_elo
from tests.ladder.cli.conftest import Command


def test_published_counts_have_their_published_numbers(ladder: Command) -> None:
    """Both kinds of counts give the figures of fastchess, under the keys of the contract."""
    document = ladder("stats", "elo", "--penta", "34,54,63,64,75", "--json").document
    assert list(document) == [
        "score", "elo", "error95", "nelo", "nelo_error95", "los", "games",
        "low", "high", "verdict", "chance",
    ]  # fmt: skip
    assert document["verdict"] == "stronger"
    assert 0 < document["low"] < document["elo"] < document["high"]
    assert document["elo"] == pytest.approx(55.58, abs=0.05)
    assert document["games"] == 580
    words = ("--wdl", "36433,68692,36027", "--elo0", "0", "--elo1", "2", "--model", "normalized")
    document = ladder("stats", "sprt", *words, "--json").document
    assert list(document) == ["llr", "lower", "upper", "state"]
    assert document["llr"] == pytest.approx(0.92, abs=0.01)
    assert document["state"] == "continue"
    assert "no decision yet" in ladder("stats", "sprt", *words).out


def clopper_pearson(won: int) -> float:
    """Return the lower end of the 95 % interval after so many won units and no others, in Elo."""
    return score_to_elo(score=0.025 ** (1 / won))


@pytest.mark.parametrize(
    ("words", "shown", "key", "bound"),
    [
        (("--wdl", "100,0,0"), "at least +570: stronger", "elo_at_least", clopper_pearson(100)),
        (("--penta", "50,0,0,0,0"), "at most -446: weaker", "elo_at_most", -clopper_pearson(50)),
    ],
)
def test_a_shutout_is_reported_as_a_bound(
    ladder: Command, words: tuple[str, ...], shown: str, key: str, bound: float
) -> None:
    """Text has only a bound, and JSON has its key."""
    text = ladder("stats", "elo", *words).out
    assert shown in text
    assert "±" not in text
    document = ladder("stats", "elo", *words, "--json").document
    assert document[key] == pytest.approx(bound, abs=0.01)
