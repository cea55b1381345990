"""Results of `ladder stats` as plain data and as text."""

from typing import Any

from ladder.stats.elo import EloEstimate
from ladder.stats.sprt import SprtResult, State
from reports.layout.elo import elo_words, los_words
from reports.layout.format import number, values_of

_STATES = {
    State.CONTINUE: "no decision yet",
    State.ACCEPT_H0: "H0 is accepted: the difference is elo0",
    State.ACCEPT_H1: "H1 is accepted: the difference is elo1",
}


def elo_document(estimate: EloEstimate) -> dict[str, Any]:
    """Return the document of `ladder stats elo --json`."""
    return {
        **values_of(estimate, "score", "elo", "error95", "nelo", "nelo_error95", "los"),
        "games": round(estimate.games),
        **({} if estimate.at_least is None else {"elo_at_least": estimate.at_least}),
        **({} if estimate.at_most is None else {"elo_at_most": estimate.at_most}),
    }


def elo_text(estimate: EloEstimate) -> str:
    """Return games, score, Elo, normalized Elo and LOS as lines; a shutout has only bounds."""
    lines = [
        f"games                {round(estimate.games)}",
        f"score                {number(estimate.score, '.4f')}",
    ]
    if estimate.is_bound:
        lines.append(f"Elo                  {elo_words(estimate)}")
    else:
        lines += [
            f"Elo                  {number(estimate.elo, '+z.2f')}"
            f" ± {number(estimate.error95, '.2f')} (likelihood: "
            f"{number(estimate.low95, '.1f')} .. {number(estimate.high95, '.1f')})",
            f"normalized Elo       {number(estimate.nelo, '.2f')}"
            f" ± {number(estimate.nelo_error95, '.2f')}",
        ]
    lines.append(f"chance to be better  {los_words(estimate, digits=2)}")
    return "\n".join(lines)


def los_document(estimate: EloEstimate) -> dict[str, Any]:
    """Return the document of `ladder stats los --json`."""
    return {"los": estimate.los, "games": round(estimate.games)}


def los_text(estimate: EloEstimate) -> str:
    """Return the likelihood of superiority in a line."""
    return f"chance to be better: {los_words(estimate, digits=2)}"


def sprt_document(result: SprtResult) -> dict[str, Any]:
    """Return the document of `ladder stats sprt --json`."""
    return values_of(result, "llr", "lower", "upper", "state")


def sprt_text(result: SprtResult) -> str:
    """Return the log-likelihood ratio, its bounds and the decision in a line."""
    return (
        f"log-likelihood ratio {result.llr:.3f}, bounds {result.lower:.3f} and {result.upper:.3f}: "
        f"{_STATES[result.state]}"
    )
