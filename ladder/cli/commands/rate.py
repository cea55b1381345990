"""`ladder rate`: a rating list from a file of games of any game."""

from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.options import Json
from ladder.stats.choices import Draws


def rate(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.pgn", help="Games with the tags White, Black, Result.")
    ],
    first_mover_advantage: Annotated[
        str, typer.Option(metavar="fit|ELO", help="What moving first is worth.")
    ] = "fit",
    draws: Annotated[
        Draws, typer.Option(help="half a win; or fit a draw model and convert its result.")
    ] = Draws.HALF,
    prior: Annotated[
        float, typer.Option(metavar="DRAWS", help="Virtual draws of everybody against the mean.")
    ] = 1.0,
    anchor: Annotated[
        str | None, typer.Option(metavar="NAME=ELO", help="Fix one player's rating.")
    ] = None,
    mean: Annotated[
        float | None, typer.Option(metavar="ELO", help="The mean of all. [default: 1000]")
    ] = None,
    json: Json = False,
) -> int:
    """Rate the players of a PGN file by maximum likelihood, with 95 % errors.

    With --first-mover-advantage 0 --draws half --prior 0 it is the plain logistic model.
    """
    from ladder.cli.output import print_result
    from ladder.results.standings.pgn_list import rate_file
    from ladder.results.standings.rating_options import rating_options
    from reports.rate import (
        rating_document,
        rating_text,
    )

    options = rating_options(
        anchors=() if anchor is None else (anchor,),
        mean=mean,
        prior=prior,
        advantage=first_mover_advantage,
        draws=draws,
    )
    return print_result(rate_file(file, options), rating_document, rating_text, json=json)
