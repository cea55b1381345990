"""Anchored bots: ratings that a user fixes, as NAME=ELO."""

from collections.abc import Iterable, Mapping

from ladder.errors import UsageError
from ladder.stats.pool.rating import RatingOptions

ELO_LIMIT = 100_000.0
"""No rating that a user writes may be farther from 0."""


def read_anchors(texts: Iterable[str]) -> dict[str, float]:
    """Ratings in Elo by name from ``NAME=ELO`` words.

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
    """A number of Elo as a user writes it.

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


def anchored(anchors: Mapping[str, float] | None) -> RatingOptions:
    """How to rate a pool with these anchors; the prior pulls towards their mean."""
    if not anchors:
        return RatingOptions()
    return RatingOptions(mean=sum(anchors.values()) / len(anchors), anchors=anchors)
