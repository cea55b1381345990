"""`ladder stats` and `ladder rate`: statistics of counts, and of a file of games."""

import re
from pathlib import Path
from typing import Annotated

from ladder.cli.help import CommandGroup
from ladder.cli.options import Chance, number
from ladder.cli.output import print_result, print_table_or_json
from ladder.errors import UsageError
from ladder.results.standings.pool import rating_options
from ladder.stats.sprt import Model, Sprt, check_chances, sprt_result
from ladder.tools.pgn_list import rate_file
from reports.stats import (
    elo_document,
    elo_text,
    los_document,
    los_text,
    print_rating,
    rating_document,
    sprt_document,
    sprt_text,
)

LIMIT = 10**15
"""The largest count: sums and squares of such numbers still fit a float."""
_WHOLE = re.compile(r"\d+", re.ASCII)

Counts = tuple[int, ...]
Hypothesis = Annotated[float, number(-2000, 2000, with_low=True)]
app = CommandGroup(help="Compute Elo and sequential tests from counts of games.")


@app.command("elo")
def elo(
    wdl: str | None = None,
    penta: str | None = None,
    json: bool = False,
) -> int:
    """Compute the Elo difference with its 95 % interval, and the chance to be better.

    Example:
      ladder stats elo --wdl 60,10,30
    """
    return print_result(parse_counts(wdl, penta), elo_document, elo_text, json=json)


@app.command("los")
def los(
    wdl: str | None = None,
    penta: str | None = None,
    json: bool = False,
) -> int:
    """Compute the chance to be the stronger bot; JSON has also the LOS of other tools.

    Example:
      ladder stats los --penta 2,5,20,9,4
    """
    return print_result(parse_counts(wdl, penta), los_document, los_text, json=json)


@app.command("sprt")
def sprt(
    elo0: Hypothesis,
    elo1: Hypothesis,
    wdl: str | None = None,
    penta: str | None = None,
    alpha: Chance = 0.05,
    beta: Chance = 0.05,
    model: Model = Model.LOGISTIC,
    json: bool = False,
) -> int:
    """Compute the state of a sequential test (SPRT) between two Elo differences.

    Options:
      --elo0 X: Elo difference of hypothesis H0.
      --elo1 Y: Elo difference of hypothesis H1, above that of H0.
      --alpha A: Probability of accepting H1 if H0 is true.
      --beta B: Probability of accepting H0 if H1 is true.
      --model: Scale of --elo0 and --elo1.

    Example:
      ladder stats sprt --wdl 60,10,30 --elo0 0 --elo1 10
    """
    counts = parse_counts(wdl, penta)
    if not elo0 < elo1:
        raise UsageError(
            f"--elo0: {elo0:g} is not below --elo1, {elo1:g}: give the smaller one as --elo0"
        )
    check_chances(alpha, beta)
    test = Sprt(elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, model=model)
    return print_result(sprt_result(counts=counts, test=test), sprt_document, sprt_text, json=json)


def parse_counts(wdl: str | None, penta: str | None) -> Counts:
    """Return the counts of one of the two options, in the order of `ladder.stats.counts`.

    Args:
        wdl: ``W,D,L``: games won, drawn, lost.
        penta: ``LL,LD,DD,WD,WW``: pairs from the lowest score to the highest; the middle one also
            counts pairs of a win and a loss.

    Raises:
        UsageError: none or both are given, or one is not such a list or counts no game.

    """
    if (wdl is None) == (penta is None):
        raise UsageError("give either --wdl W,D,L or --penta LL,LD,DD,WD,WW")
    if wdl is not None:
        wins, draws, losses = _numbers("--wdl", "W,D,L", wdl)
        return losses, draws, wins
    return _numbers("--penta", "LL,LD,DD,WD,WW", penta or "")


def _numbers(option: str, form: str, text: str) -> Counts:
    words = [word.strip() for word in text.split(",")]
    wanted = form.count(",") + 1
    if len(words) != wanted or not all(_WHOLE.fullmatch(word) for word in words):
        raise UsageError(f"{option}: {text!r} is not {wanted} whole numbers {form}, none below 0")
    # Python refuses to read numbers of thousands of digits, and a long one is too large anyway.
    if any(len(word) > len(str(LIMIT)) or int(word) > LIMIT for word in words):
        raise UsageError(f"{option}: {text!r} has a count above {LIMIT}")
    numbers = tuple(int(word) for word in words)
    if not any(numbers):
        raise UsageError(f"{option}: {text} counts no games: give at least one")
    return numbers


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
