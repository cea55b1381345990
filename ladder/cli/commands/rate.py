"""`ladder rate`: a rating list from a file of games of any game."""

from pathlib import Path
from typing import Annotated

from ladder.cli.options import number
from ladder.cli.output import print_table_or_json
from ladder.results.standings.pgn_list import rate_file
from ladder.results.standings.pool import rating_options
from reports.rate import print_rating, rating_document


def rate(
    file: Path,
    first_mover_advantage: str = "fit",
    prior: Annotated[float, number(0, 1e6, with_low=True)] = 1.0,
    anchor: list[str] | None = None,
    mean: Annotated[float, number(-100_000, 100_000, with_low=True)] | None = None,
    json: bool = False,
) -> int:
    """Rate the players of a PGN file of any game.

    Ratings are of maximum likelihood, with 95 % errors. The options --first-mover-advantage 0
    --prior 0 give the plain logistic model. Players that no chain of games connects
    cannot be compared: their groups are listed (exit code 2).

    Arguments:
      FILE.pgn: Games of any kind with the tags White, Black and Result.

    Options:
      --first-mover-advantage fit|ELO: Advantage of moving first: fitted to the games, or N Elo.
      --prior DRAWS: Virtual draws of each player with an average one, and as many with no
        advantage on a fitted advantage of moving first; they keep both finite.
      --anchor NAME=ELO: Fixed rating of a player, once for each.
      --mean ELO: Mean rating of all players. [1000]

    Example:
      ladder rate games.pgn --anchor Alice=1500
    """
    options = rating_options(
        anchors=anchor or (),
        mean=mean,
        prior=prior,
        advantage=first_mover_advantage,
    )
    print_table_or_json(rate_file(file, options), rating_document, print_rating, json=json)
    return 0
