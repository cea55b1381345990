"""Forfeits in an experiment, and the test whether a bot fails too often to be measured.

Rare forfeits count as losses. A bot that forfeits more often than `FORFEIT_SHARE` makes the gate
invalid, be it the candidate or a baseline. As the test is made after every pair, it is sequential:
`ladder.stats.rate_limit`.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from db.records.pairs import PlayedPair
from engine.result import FORFEITS, Result, Termination
from ladder.results.standings.standings import FORFEIT_MINIMUM, FORFEIT_SHARE
from ladder.stats.rate_limit import log_evidence

FORFEIT_ERROR = 0.05
"""Chance of a false alarm over all bots of an experiment together."""


class ForfeitCount:
    """The forfeits of each bot of an experiment."""

    def __init__(self, names: Iterable[str]) -> None:
        self._kinds: dict[str, Counter[str]] = {name: Counter() for name in names}
        self._games: Counter[str] = Counter()
        self._shares: dict[str, Counter[float]] = {name: Counter() for name in self._kinds}

    def add(self, players: tuple[str, str], failures: Iterable[tuple[str, Termination]]) -> None:
        """Count a pair of games.

        Args:
            players: The names of both players, which may be equal.
            failures: The player and the termination of each forfeited game.

        """
        failed: Counter[str] = Counter()
        for name, termination in failures:
            self._kinds[name][termination.value] += 1
            failed[name] += 1
        for name in set(players):
            games = 2 * players.count(name)
            self._games[name] += games
            self._shares[name][failed[name] / games] += 1

    def add_pair(self, players: tuple[str, str], pair: PlayedPair) -> None:
        """Count a played pair of A and B, named in this order."""
        ended = zip(pair.results, pair.terminations, strict=True)
        failures = [
            (players[0] if result is Result.LOSS else players[1], termination)
            for result, termination in ended
            if termination.is_forfeit
        ]
        self.add(players, failures)

    @property
    def failing_bot(self) -> str:
        """The name of a bot that fails too often, or an empty text."""
        return next(iter(self.failures), "")

    @property
    def failures(self) -> Mapping[str, str]:
        """A sentence about each bot that fails too often, by name."""
        return {
            name: self._sentence(name)
            for name, kinds in self._kinds.items()
            if kinds.total() >= FORFEIT_MINIMUM and self._is_above(name)
        }

    @property
    def failure(self) -> str:
        """A sentence about a bot that fails too often, or an empty text."""
        return next(iter(self.failures.values()), "")

    def _sentence(self, name: str) -> str:
        kinds = self._kinds[name]
        listed = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        return (
            f"{name} forfeited {kinds.total()} of its {self._games[name]} games ({listed}): "
            f"above {FORFEIT_SHARE:.0%} the games do not measure strength; fix the bot first"
        )

    @property
    def by_bot(self) -> Mapping[str, Mapping[str, int]]:
        """Numbers of forfeits by bot and kind, zeros included."""
        return {
            name: {kind.value: kinds[kind.value] for kind in FORFEITS}
            for name, kinds in self._kinds.items()
        }

    def _is_above(self, name: str) -> bool:
        evidence = log_evidence(shares=self._shares[name], limit=FORFEIT_SHARE)
        return evidence >= math.log(len(self._kinds) / FORFEIT_ERROR)
