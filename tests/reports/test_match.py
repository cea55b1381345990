"""The result of a match as text and as JSON."""

from ladder.results.standings.standings import PairStanding
from reports.findings.finding import finding_text
from reports.findings.gate import match_document, match_finding


def text_of(result: PairStanding) -> str:
    """Return the whole text of a match."""
    return finding_text(match_finding(result, "6x7/50ms"))


def test_a_match_prints_score_elo_and_pairs() -> None:
    """The numbers are those of the match, from the side of the first bot."""
    text = text_of(PairStanding("a", "b", 7, 0, 3, (0, 0, 3, 0, 2)))
    head, _, games, score, *_, pairs = text.splitlines()
    assert head.startswith("NO CLEAR DIFFERENCE: a is between ")
    assert head.endswith(" Elo stronger than b (95 %), after 10 games")
    assert games.split(maxsplit=1) == ["games", "+7 =0 -3 on 6x7/50ms"]
    assert score.split() == ["score", "70.0%"]
    assert pairs.split() == ["0", "0", "3", "0", "2"]


def test_equal_pairs_count_once_in_the_interval() -> None:
    """Forty copies of ten pairs are no more evidence than these."""
    once = PairStanding("a", "b", 12, 0, 8, (0, 0, 8, 0, 2), 10)
    copied = PairStanding("a", "b", 48, 0, 32, (0, 0, 32, 0, 8), 10)
    one, other = match_document(once), match_document(copied)
    assert (one["elo"], one["error95"], one["los"]) == (
        other["elo"], other["error95"], other["los"],
    )  # fmt: skip
    assert "10 of 40 pairs are distinct" in text_of(copied)
    assert "distinct" not in text_of(once)


def test_a_shutout_is_printed_as_a_bound() -> None:
    """On both sides."""
    won = PairStanding("a", "b", 10, 0, 0, (0, 0, 0, 0, 5))
    assert " a is at least " in text_of(won)
    assert match_document(won)["elo_at_least"] is not None
    assert " b is at least " in text_of(won.mirrored)
    assert match_document(won.mirrored)["wdl"] == [0, 0, 10]


def test_no_games_prove_a_chance_of_100_percent() -> None:
    """Neither few lost games nor a shutout make a match certain."""
    nearly = PairStanding("a", "b", 58, 0, 2, (0, 0, 2, 0, 28))
    assert "chance to be better over 99.9%" in text_of(nearly)
    assert "chance to be better under 0.1%" in text_of(nearly.mirrored)
    won = PairStanding("a", "b", 60, 0, 0, (0, 0, 0, 0, 30))
    assert "chance to be better at least 99.9%" in text_of(won)
