"""Results of `ladder stats` as plain data and as text."""

from collections.abc import Sequence
from typing import Any

from ladder.stats.difference import difference_of
from ladder.stats.elo import estimate as estimate_of
from ladder.stats.sprt import SprtResult, State
from reports.layout.format import number, values_of

_STATES = {
    State.CONTINUE: "no decision yet",
    State.ACCEPT_H0: "H0 is accepted: the difference is elo0",
    State.ACCEPT_H1: "H1 is accepted: the difference is elo1",
}


def elo_document(counts: Sequence[int]) -> dict[str, Any]:
    """Return the document of `ladder stats elo --json`.

    `low`, `high`, `chance` and `verdict` are those of a match; the others those of fastchess.
    """
    estimate, difference = estimate_of(counts=counts), difference_of(counts)
    values = difference.values(digits=4)
    return {
        **values_of(estimate, "score", "elo", "error95", "nelo", "nelo_error95", "los"),
        "games": round(estimate.games),
        **{key: values[key] for key in ("low", "high", "verdict")},
        "chance": values["los"],
        **{key: values[key] for key in ("elo_at_least", "elo_at_most") if values[key] is not None},
    }


def elo_text(counts: Sequence[int]) -> str:
    """Return games, score, Elo, normalized Elo and chance as lines; a shutout has only a bound."""
    estimate, difference = estimate_of(counts=counts), difference_of(counts)
    lines = [
        f"games                {round(estimate.games)}",
        f"score                {number(estimate.score, '.4f')}",
        f"Elo                  {difference.words()}: {difference.word}",
        f"chance to be better  {difference.chance_words()}",
    ]
    if difference.error95 is not None:
        lines += [
            f"Elo as in fastchess  {number(estimate.elo, '+z.2f')}"
            f" ± {number(estimate.error95, '.2f')}",
            f"normalized Elo       {number(estimate.nelo, '.2f')}"
            f" ± {number(estimate.nelo_error95, '.2f')}",
        ]
    return "\n".join(lines)


def los_document(counts: Sequence[int]) -> dict[str, Any]:
    """Return the document of `ladder stats los --json`."""
    estimate = estimate_of(counts=counts)
    chance = difference_of(counts).values()["los"]
    return {"los": estimate.los, "games": round(estimate.games), "chance": chance}


def los_text(counts: Sequence[int]) -> str:
    """Return the chance to be better in a line."""
    return f"chance to be better: {difference_of(counts).chance_words()}"


def sprt_document(result: SprtResult) -> dict[str, Any]:
    """Return the document of `ladder stats sprt --json`."""
    return values_of(result, "llr", "lower", "upper", "state")


def sprt_text(result: SprtResult) -> str:
    """Return the log-likelihood ratio, its bounds and the decision in a line."""
    return (
        f"log-likelihood ratio {result.llr:.3f}, bounds {result.lower:.3f} and {result.upper:.3f}: "
        f"{_STATES[result.state]}"
    )
