"""The cost of a gate: how many games such a test is expected to take against one baseline."""

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.stats.sprt import Sprt, walk
from ladder.stats.sprt_estimate import forecast_test


@dataclass(frozen=True, slots=True)
class ExpectedGames:
    """Mean numbers of games until a decision, at three true differences."""

    if_equal: float
    """The candidate is as strong as the baseline."""
    if_worse: float
    """The case of a candidate that is worse by the drop that is not allowed."""
    as_measured: float | None
    """The difference is the one that the counted pairs show; None without pairs."""


def expected_games(pentanomial: Sequence[int], test: Sprt) -> ExpectedGames:
    """The cost of a test where pairs spread as these counts do (Wald 1945, Siegmund 1985)."""

    def games(elo: float) -> float:
        return forecast_test(elo=elo, counts=pentanomial, test=test).games

    pairs = sum(pentanomial)
    measured = None
    if pairs:
        path = walk(counts=pentanomial, test=test)
        mean = sum(place * count for place, count in enumerate(pentanomial)) / (4 * pairs)
        if path.deviation is None:
            squares = sum((place / 4 - mean) ** 2 * n for place, n in enumerate(pentanomial))
            deviation = max(squares / pairs, 1e-4) ** 0.5
        else:
            deviation = path.deviation
        measured = games(path.elo(t=(mean - 0.5) / deviation))
    return ExpectedGames(games(test.elo1), games(test.elo0), measured)
