"""The result of a match as text and as JSON."""

from ladder.results.standings.head_to_head import HeadToHead
from reports.findings.finding import finding_text
from reports.findings.gate import match_document, match_finding
from tests.support.records import record_of


def met(pentanomial: tuple[int, ...], distinct: int | None = None) -> HeadToHead:
    """Return pairs of a against b."""
    return HeadToHead("a", "b", record_of(pentanomial, distinct))


def text_of(result: HeadToHead) -> str:
    """Return the whole text of a match."""
    return finding_text(match_finding(result, "6x7/50ms"))


def test_a_match_prints_score_elo_and_pairs() -> None:
    """The numbers are those of the match, from the side of the first bot."""
    text = text_of(met((0, 0, 3, 0, 2)))
    head, _, games, score, *_, pairs = text.splitlines()
    assert head.startswith("NO CLEAR DIFFERENCE: a is between ")
    assert head.endswith(" Elo stronger than b: no clear difference, after 10 games")
    assert games.split(maxsplit=1) == ["games", "+4 =6 -0 on 6x7/50ms"]
    assert score.split() == ["score", "70.0%"]
    assert pairs.split() == ["0", "0", "3", "0", "2"]


def test_equal_pairs_count_once_in_the_interval() -> None:
    """Forty copies of ten pairs are no more evidence than these."""
    once = met((0, 0, 8, 0, 2), 10)
    copied = met((0, 0, 32, 0, 8), 10)
    one, other = match_document(once), match_document(copied)
    assert (one["elo"], one["error95"], one["los"]) == (
        other["elo"], other["error95"], other["los"],
    )  # fmt: skip
    assert "10 of 40 pairs are distinct" in text_of(copied)
    assert "distinct" not in text_of(once)


def test_a_shutout_is_printed_as_a_bound() -> None:
    """On both sides."""
    won = met((0, 0, 0, 0, 5))
    assert "PROBABLY STRONGER: a is probably stronger than b (97.5% sure), at most 15" in text_of(
        won
    )
    assert match_document(won)["elo_at_least"] is not None
    assert "PROBABLY WEAKER: b is probably weaker than a (97.5% sure), at most 15" in text_of(
        won.mirrored
    )
    assert match_document(won.mirrored)["wdl"] == [0, 0, 10]


def test_no_games_prove_a_chance_of_100_percent() -> None:
    """Neither few lost games nor a shutout make a match certain."""
    nearly = met((0, 0, 2, 0, 28))
    assert "chance to be better 99.9%" in text_of(nearly)
    assert "chance to be better 0.1%" in text_of(nearly.mirrored)
    won = met((0, 0, 0, 0, 30))
    assert "chance to be better 99.9%" in text_of(won)
