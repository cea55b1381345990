"""The result of a match as text and as JSON."""

from ladder.results.standings.standings import PairStanding
from reports.layout.format import labelled
from reports.match import match_document, match_text


def test_a_match_prints_score_elo_and_pairs() -> None:
    """The numbers are those of the match, from the side of the first bot."""
    text = match_text(PairStanding("a", "b", 7, 0, 3, (0, 0, 3, 0, 2)), "6x7/50ms")
    assert text.splitlines()[0] == "a against b on 6x7/50ms"
    rows = [line.split(maxsplit=2) for line in text.splitlines()]
    assert rows[1] == ["10", "games", "+7 =0 -3"]
    assert rows[2] == ["score", "70.0%"]
    assert text.splitlines()[-1].endswith("0 0 3 0 2")


def test_a_shutout_is_printed_as_a_bound() -> None:
    """On both sides."""
    won = PairStanding("a", "b", 10, 0, 0, (0, 0, 0, 0, 5))
    assert "at least" in match_text(won, "6x7/50ms")
    assert match_document(won)["elo_at_least"] is not None
    assert "at most" in match_text(won.mirrored, "6x7/50ms")
    assert match_document(won.mirrored)["wdl"] == [0, 0, 10]


def test_a_match_without_games_has_no_elo() -> None:
    """Missing numbers are null in JSON and a dash in text."""
    document = match_document(PairStanding("a", "b", 0, 0, 0, (0, 0, 0, 0, 0)))
    assert (document["elo"], document["error95"], document["los"]) == (None, None, None)
    assert "score                 -" in match_text(
        PairStanding("a", "b", 0, 0, 0, (0, 0, 0, 0, 0)), "6x7/50ms"
    )


def test_a_long_label_stays_apart_from_its_value() -> None:
    """A space separates a long label from its value."""
    rows = [("against untuned-5f411ff0", "32 games"), ("Elo", "+0.0")]
    assert labelled(rows, 22) == [
        "  against untuned-5f411ff0 32 games",
        "  Elo                      +0.0",
    ]
