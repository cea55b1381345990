"""The finding of a match: strength, score and pairs, from the side of the first bot."""

from typing import Any

from ladder.experiments.gate.result import strength_words
from ladder.names import counted
from ladder.results.standings.comparison import CLEAR
from ladder.results.standings.standings import PairStanding
from ladder.stats.elo import EloEstimate, estimate
from reports.findings.finding import Finding
from reports.layout.elo import elo_words, interval_values, los_words
from reports.layout.format import rounded
from reports.layout.listing import Titled
from reports.layout.table import Column


def match_document(result: PairStanding) -> dict[str, Any]:
    """Return the object `match` of `ladder match --json`; Elo and LOS are null without games."""
    elo = estimate(counts=result.distinct_pentanomial)
    return {
        "a": result.a,
        "b": result.b,
        "wdl": [result.wins, result.draws, result.losses],
        "pentanomial": list(result.pentanomial),
        "distinct_pairs": result.distinct_pairs,
        "score": rounded(elo.score, 4),
        **interval_values(elo),
        "los": rounded(elo.los, 4),
    }


def match_finding(result: PairStanding, conditions: str) -> Finding:
    """Return the finding of a match.

    Args:
        result: from the side of the first bot.
        conditions: the label of the division.

    """
    elo, games = (
        estimate(counts=result.distinct_pentanomial),
        result.wins + result.draws + result.losses,
    )
    score = "-" if elo.score is None else f"{elo.score:.1%}"
    return Finding(
        kind="match",
        question=f"Which is stronger, {result.a} or {result.b}?",
        word=_word(elo),
        sentence=(f"{result.a} is {strength_words(elo, result.b)}, after {counted(games, 'game')}"),
        facts=[
            ("games", f"+{result.wins} ={result.draws} -{result.losses} on {conditions}"),
            ("score", score),
            ("Elo difference", elo_words(elo)),
            ("chance to be better", los_words(elo)),
        ],
        details=[
            Titled(f"pairs by the points of {result.a}", points_columns([result.pentanomial]))
        ],
        notes=_notes(result),
        names=(result.a, result.b),
        document=match_document(result),
    )


def points_columns(pairs: "list[tuple[int, ...]]") -> list[Column]:
    """Return the columns of pairs by points: 0, 1/2, 1, 3/2, 2."""
    return [
        Column(head, [str(each[place]) for each in pairs])
        for place, head in enumerate(("0", "½", "1", "1½", "2"))
    ]


def _word(elo: EloEstimate) -> str:
    chance = elo.sure_los
    if chance is None or 1.0 - CLEAR < chance < CLEAR:
        return "no clear difference" if chance is not None else "no games"
    return "stronger" if chance >= CLEAR else "weaker"


def _notes(result: PairStanding) -> list[str]:
    pairs, distinct = sum(result.pentanomial), result.distinct_pairs
    if distinct is None or distinct == pairs:
        return []
    return [f"{distinct} of {pairs} pairs are distinct: the interval counts equal pairs once"]
