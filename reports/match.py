"""The result of a match: score, Elo difference and pairs, from the side of the first bot."""

from typing import Any

from ladder.names import counted
from ladder.results.standings.standings import PairStanding
from ladder.stats.elo import EloEstimate, estimate
from reports.layout.elo import elo_words, interval_values, los_words
from reports.layout.format import labelled, rounded, text_of_lines


def match_document(result: PairStanding) -> dict[str, Any]:
    """Return the object `match` of `ladder match --json`; Elo and LOS are null without games."""
    elo = _estimate(result)
    return {
        "a": result.a,
        "b": result.b,
        "wdl": [result.wins, result.draws, result.losses],
        "pentanomial": list(result.pentanomial),
        "score": rounded(elo.score, 4),
        **interval_values(elo),
        "los": rounded(elo.los, 4),
    }


def match_text(result: PairStanding, conditions: str) -> str:
    """Return the result as lines for a terminal.

    Args:
        result: from the side of the first bot.
        conditions: the label of the division.

    """
    elo = _estimate(result)
    games = result.wins + result.draws + result.losses
    rows = [
        (counted(games, "game"), f"+{result.wins} ={result.draws} -{result.losses}"),
        ("score", "-" if elo.score is None else f"{elo.score:.1%}"),
        ("Elo difference", elo_words(elo)),
        ("chance to be better", los_words(elo)),
        ("pairs 0 1/2 1 3/2 2", " ".join(map(str, result.pentanomial))),
    ]
    return text_of_lines(
        [
            f"{result.a} against {result.b} on {conditions}",
            *labelled(rows, 22),
        ]
    )


def _estimate(result: PairStanding) -> EloEstimate:
    return estimate(counts=list(result.pentanomial))
