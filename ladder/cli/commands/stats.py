"""`ladder stats`: the statistics as a calculator, from counts on the command line."""

from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.help import HelpGroup
from ladder.cli.options import Json
from ladder.stats.choices import Model

if TYPE_CHECKING:
    from ladder.stats.elo import EloEstimate


app = typer.Typer(
    cls=HelpGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Elo, sequential tests and LOS from counts.",
)


@app.callback()
def group() -> None:
    """Elo, sequential tests and LOS from counts."""


Wdl = Annotated[
    str | None, typer.Option("--wdl", metavar="W,D,L", help="Games won, drawn and lost.")
]
Penta = Annotated[
    str | None,
    typer.Option(
        "--penta",
        metavar="LL,LD,DD,WD,WW",
        help="Pairs of games, the lowest score first; the middle counts a win and a loss, too.",
    ),
]


@app.command("elo")
def elo(wdl: Wdl = None, penta: Penta = None, json: Json = False) -> int:
    """Elo, normalized Elo, their 95 % errors and the likelihood of superiority."""
    from ladder.cli.output import print_result
    from reports.stats import (
        elo_document,
        elo_text,
    )

    return print_result(_estimate(wdl, penta), elo_document, elo_text, json=json)


@app.command("los")
def los(wdl: Wdl = None, penta: Penta = None, json: Json = False) -> int:
    """The likelihood of superiority: the chance to be the stronger one."""
    from ladder.cli.output import print_result
    from reports.stats import (
        los_document,
        los_text,
    )

    return print_result(_estimate(wdl, penta), los_document, los_text, json=json)


@app.command("sprt")
def sprt(
    elo0: Annotated[float, typer.Option(metavar="X", help="Elo under H0.")],
    elo1: Annotated[float, typer.Option(metavar="Y", help="Elo under H1.")],
    wdl: Wdl = None,
    penta: Penta = None,
    alpha: Annotated[
        float, typer.Option(metavar="A", help="Chance to accept H1 when H0 is true.")
    ] = 0.05,
    beta: Annotated[
        float, typer.Option(metavar="B", help="Chance to accept H0 when H1 is true.")
    ] = 0.05,
    model: Annotated[
        Model, typer.Option(help="The Elo in which X and Y are given.")
    ] = Model.LOGISTIC,
    json: Json = False,
) -> int:
    """The state of a sequential test between two differences in Elo."""
    from ladder.cli.output import print_result
    from ladder.cli.parsing import (
        hypotheses,
        parse_counts,
    )
    from ladder.stats.sprt import sprt_result
    from reports.stats import (
        sprt_document,
        sprt_text,
    )

    counts = parse_counts(wdl, penta)
    test = hypotheses(elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, model=model)
    return print_result(sprt_result(counts=counts, test=test), sprt_document, sprt_text, json=json)


def _estimate(wdl: str | None, penta: str | None) -> "EloEstimate":
    from ladder.cli.parsing import parse_counts
    from ladder.stats.elo import estimate

    return estimate(counts=parse_counts(wdl, penta))
