"""Parsing the options of a rating list."""

from collections.abc import Iterable

from ladder.errors import UsageError
from ladder.stats.pool.rating import PRIOR, RatingOptions

ELO_LIMIT = 100_000.0
"""Greatest distance from 0 of a rating in an option."""


def parse_anchors(texts: Iterable[str]) -> dict[str, float]:
    """Return fixed ratings in Elo by name from texts ``NAME=ELO``.

    Raises:
        UsageError: a text has another form, a name is repeated, or a rating is out of range.

    """
    anchors: dict[str, float] = {}
    for text in texts:
        name, equals, elo = text.rpartition("=")
        if not (name and equals):
            raise UsageError(f"write NAME=ELO, got {text!r}", "anchor")
        if name in anchors:
            raise UsageError(f"{name!r} is named twice: give each bot one rating", "anchor")
        anchors[name] = parse_elo("anchor", elo)
    return anchors


def parse_elo(option: str, text: str, wanted: str = "an Elo") -> float:
    """Return the Elo in an option's text; the error names what is `wanted`.

    Raises:
        UsageError: the text is not a number, or out of range.

    """
    try:
        elo = float(text)
    except ValueError:
        elo = float("nan")
    if not abs(elo) <= ELO_LIMIT:
        raise UsageError(f"it must be {wanted} within ±{ELO_LIMIT:g}, got {text!r}", option)
    return elo


def rating_options(
    *,
    anchors: Iterable[str] = (),
    mean: float | None = None,
    prior: float = PRIOR,
    advantage: str = "fit",
) -> RatingOptions:
    """Return rating options from the texts of a command line.

    Raises:
        UsageError: a text has another form, a number is out of range, or two options contradict
            each other.

    """
    fixed = parse_anchors(anchors)
    if fixed and mean is not None:
        raise UsageError("it cannot be combined with an anchor: give one of them", "mean")
    if not 0 <= prior <= 1e6:
        raise UsageError(f"it must be 0 to 1000000 virtual draws, got {prior:g}", "prior")
    return RatingOptions(
        mean=None if mean is None else parse_elo("mean", str(mean)),
        anchors=fixed,
        prior=prior,
        advantage=(
            None
            if advantage == "fit"
            else parse_elo("first_mover_advantage", advantage, "fit or an Elo")
        ),
    )
