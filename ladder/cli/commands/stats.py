"""`ladder stats`: the statistics as a calculator, from counts on the command line."""

from typing import Annotated

from ladder.cli.help import CommandGroup
from ladder.cli.options import Json, option
from ladder.cli.output import print_result
from ladder.cli.parsing import parse_counts, parse_hypotheses
from ladder.stats.choices import Model
from ladder.stats.elo import EloEstimate, estimate
from ladder.stats.sprt import sprt_result
from reports.stats import elo_document, elo_text, los_document, los_text, sprt_document, sprt_text

app = CommandGroup(help="Compute Elo, sequential tests and superiority from counts of games.")

Wdl = Annotated[str | None, option("W,D,L", "Numbers of games won, drawn and lost.", None, "--wdl")]
Penta = Annotated[
    str | None,
    option(
        "LL,LD,DD,WD,WW",
        "Numbers of pairs of games by score: 0, 1/2, 1, 3/2 and 2 points.",
        None,
        "--penta",
    ),
]


@app.command("elo")
def elo(wdl: Wdl = None, penta: Penta = None, json: Json = False) -> int:
    """Compute the Elo difference, its 95 % error and the likelihood of superiority."""
    return print_result(_estimate(wdl, penta), elo_document, elo_text, json=json)


@app.command("los")
def los(wdl: Wdl = None, penta: Penta = None, json: Json = False) -> int:
    """Compute the likelihood of superiority (LOS): the probability of being the stronger bot."""
    return print_result(_estimate(wdl, penta), los_document, los_text, json=json)


@app.command("sprt")
def sprt(
    elo0: Annotated[float, option("X", "Elo difference of hypothesis H0.")],
    elo1: Annotated[float, option("Y", "Elo difference of hypothesis H1, above that of H0.")],
    wdl: Wdl = None,
    penta: Penta = None,
    alpha: Annotated[float, option("A", "Probability of accepting H1 if H0 is true.")] = 0.05,
    beta: Annotated[float, option("B", "Probability of accepting H0 if H1 is true.")] = 0.05,
    model: Annotated[Model, option(None, "Scale of --elo0 and --elo1.")] = Model.LOGISTIC,
    json: Json = False,
) -> int:
    """Compute the state of a sequential test (SPRT) between two Elo differences."""
    counts = parse_counts(wdl, penta)
    test = parse_hypotheses(elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, model=model)
    return print_result(sprt_result(counts=counts, test=test), sprt_document, sprt_text, json=json)


def _estimate(wdl: str | None, penta: str | None) -> EloEstimate:
    return estimate(counts=parse_counts(wdl, penta))
