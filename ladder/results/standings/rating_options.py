"""Options of a rating list as a user writes them."""

from collections.abc import Iterable

from ladder.errors import UsageError
from ladder.stats.choices import Draws
from ladder.stats.pool.rating import PRIOR, RatingOptions

ELO_LIMIT = 100_000.0
"""No rating that a user writes may be farther from 0."""


def read_anchors(texts: Iterable[str]) -> dict[str, float]:
    """Return ratings in Elo by name from ``NAME=ELO`` words.

    Raises:
        UsageError: a word has another form, a name stands twice, or the rating is out of range.

    """
    anchors: dict[str, float] = {}
    for text in texts:
        name, equals, elo = text.rpartition("=")
        if not (name and equals):
            raise UsageError(f"--anchor is NAME=ELO, got {text!r}")
        if name in anchors:
            raise UsageError(f"--anchor names {name!r} twice")
        anchors[name] = read_elo("--anchor", elo)
    return anchors


def read_elo(option: str, text: str, allowed: str = "a number of Elo") -> float:
    """Return a number of Elo as a user writes it.

    Raises:
        UsageError: the text is no number, or out of range.

    """
    try:
        elo = float(text)
    except ValueError:
        elo = float("nan")
    if not abs(elo) <= ELO_LIMIT:
        raise UsageError(f"{option} takes {allowed} within +-{ELO_LIMIT:g}, got {text!r}")
    return elo


def rating_options(
    *,
    anchors: Iterable[str] = (),
    mean: float | None = None,
    prior: float = PRIOR,
    advantage: str = "fit",
    draws: Draws = Draws.HALF,
) -> RatingOptions:
    """Return the options of a rating list from the words of the command line.

    Raises:
        UsageError: a word has another form, a number is out of range, or two options contradict
            each other.

    """
    fixed = read_anchors(anchors)
    if fixed and mean is not None:
        raise UsageError("--anchor and --mean contradict each other: give one of them")
    if not 0 <= prior <= 1e6:
        raise UsageError(f"--prior must be 0 .. 1000000 virtual draws, got {prior:g}")
    return RatingOptions(
        mean=None if mean is None else read_elo("--mean", str(mean)),
        anchors=fixed,
        prior=prior,
        advantage=None
        if advantage == "fit"
        else read_elo("--first-mover-advantage", advantage, "fit or a number of Elo"),
        draws=draws,
    )
