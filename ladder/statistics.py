"""Counts of results as a person writes them on a command line."""

import re

from ladder.errors import UsageError
from ladder.ratings.sprt import Model, Sprt

LIMIT = 10**15
"""The greatest count: sums and squares of such numbers still fit a float."""
ELO_LIMIT = 2000.0
"""The greatest Elo of a hypothesis: beyond it an expected score is 0 or 1 to five digits."""
MIN_CHANCE = 1e-9
"""The smallest chance of error that can be asked for."""
_WHOLE = re.compile(r"\d+", re.ASCII)

Counts = tuple[int, ...]


def parse_counts(wdl: str | None, penta: str | None) -> Counts:
    """Counts in the order of `ladder.ratings.counts` from one of the two options.

    Args:
        wdl: ``W,D,L``: games won, drawn, lost.
        penta: ``LL,LD,DD,WD,WW``: pairs from the lowest score to the highest; the middle counts
            a win and a loss, too.

    Raises:
        UsageError: none or both are given, or one is not such a list, or it counts no game.

    """
    if (wdl is None) == (penta is None):
        raise UsageError("give either --wdl W,D,L or --penta LL,LD,DD,WD,WW")
    if wdl is not None:
        wins, draws, losses = _numbers("--wdl", "W,D,L", wdl)
        return losses, draws, wins
    return _numbers("--penta", "LL,LD,DD,WD,WW", penta or "")


def hypotheses(*, elo0: float, elo1: float, alpha: float, beta: float, model: str) -> Sprt:
    """A test between two differences in Elo; `model` is a word of `ladder.ratings.sprt.Model`.

    Raises:
        UsageError: a number is out of range, or elo0 is not below elo1.

    """
    for option, elo in (("--elo0", elo0), ("--elo1", elo1)):
        if not abs(elo) <= ELO_LIMIT:
            raise UsageError(f"{option} must be -{ELO_LIMIT:g} .. {ELO_LIMIT:g} Elo, got {elo:g}")
    if not elo0 < elo1:
        raise UsageError(f"--elo0 must be below --elo1, got {elo0:g} and {elo1:g}")
    check_chances(alpha, beta)
    return Sprt(elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, model=Model(model))


def check_chances(alpha: float, beta: float) -> None:
    """See that both chances of error make sense.

    Raises:
        UsageError: one is not between 0 and 0.5.

    """
    for option, chance in (("--alpha", alpha), ("--beta", beta)):
        if not MIN_CHANCE <= chance < 0.5:
            raise UsageError(
                f"{option} must be {MIN_CHANCE:g} or more and below 0.5, got {chance:g}"
            )


def _numbers(option: str, form: str, text: str) -> Counts:
    words = [word.strip() for word in text.split(",")]
    wanted = form.count(",") + 1
    if len(words) != wanted or not all(_WHOLE.fullmatch(word) for word in words):
        raise UsageError(f"{option} is {wanted} whole numbers {form}, none below 0, got {text!r}")
    # Python refuses to read numbers of thousands of digits; a long one is too great anyway.
    if any(len(word) > len(str(LIMIT)) or int(word) > LIMIT for word in words):
        raise UsageError(f"{option}: a count must be at most {LIMIT}, got {text!r}")
    numbers = tuple(int(word) for word in words)
    if not any(numbers):
        raise UsageError(f"{option} {text}: there is nothing to compute from no games")
    return numbers
