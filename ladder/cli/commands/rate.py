"""`ladder rate`: a rating list from a file of games of any game."""

from pathlib import Path
from typing import Annotated

from ladder.cli.options import Json, argument, option
from ladder.cli.output import print_result
from ladder.results.standings.pgn_list import rate_file
from ladder.results.standings.rating_options import rating_options
from reports.rate import rating_document, rating_text


def rate(
    file: Annotated[
        Path, argument("FILE.pgn", "Games of any kind with the tags White, Black and Result.")
    ],
    first_mover_advantage: Annotated[
        str, option("fit|ELO", "Advantage of moving first: fitted to the games, or N Elo.")
    ] = "fit",
    prior: Annotated[
        float,
        option(
            "DRAWS", "Virtual draws of each player with an average one; they keep ratings finite."
        ),
    ] = 1.0,
    anchor: Annotated[
        list[str] | None, option("NAME=ELO", "Fixed rating of a player, once for each.")
    ] = None,
    mean: Annotated[
        float | None, option("ELO", "Mean rating of all players.", show_default="1000")
    ] = None,
    json: Json = False,
) -> int:
    """Rate the players of a PGN file of any game.

    Ratings are of maximum likelihood, with 95 % errors. The options --first-mover-advantage 0
    --prior 0 give the plain logistic model. Players that no chain of games connects
    cannot be compared: their groups are listed (exit code 2).
    """
    options = rating_options(
        anchors=anchor or (),
        mean=mean,
        prior=prior,
        advantage=first_mover_advantage,
    )
    return print_result(rate_file(file, options), rating_document, rating_text, json=json)
