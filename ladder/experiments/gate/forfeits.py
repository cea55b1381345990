"""Forfeits in a gate: is one bot failing more often than strength can be measured with?

A bot that forfeits now and then is measured with its failures, as losses. One that does so more
often than `FORFEIT_SHARE` makes the gate invalid, whoever it is. The gate looks after every pair,
so the rate itself is tested, sequentially: `ladder.stats.rate_limit`.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from db.records.pairs import PlayedPair
from engine.result import FORFEITS, Result, Termination
from ladder.results.standings.standings import FORFEIT_MINIMUM, FORFEIT_SHARE
from ladder.stats.rate_limit import log_evidence

FORFEIT_ERROR = 0.05
"""Chance that a gate is called invalid though no bot forfeits more often than it may, over all of
its bots together."""


class ForfeitCount:
    """The forfeits of every bot of a gate, pair by pair."""

    def __init__(self, names: Iterable[str]) -> None:
        self._kinds: dict[str, Counter[str]] = {name: Counter() for name in names}
        self._games: Counter[str] = Counter()
        self._shares: dict[str, Counter[float]] = {name: Counter() for name in self._kinds}

    def add(self, players: tuple[str, str], failures: Iterable[tuple[str, Termination]]) -> None:
        """Count a pair of games between two players, who may be one and the same.

        Args:
            players: the names of both.
            failures: who forfeited a game of the pair, and how.

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
    def failing(self) -> str:
        """The name of a bot that fails too often; empty while there is none."""
        return next(iter(self.all_failing), "")

    @property
    def all_failing(self) -> Mapping[str, str]:
        """A sentence about each bot that fails too often, by its name."""
        return {
            name: self._sentence(name)
            for name, kinds in self._kinds.items()
            if kinds.total() >= FORFEIT_MINIMUM and self._is_above(name)
        }

    @property
    def culprit(self) -> str:
        """A sentence about a bot that fails too often; empty while there is none."""
        return next(iter(self.all_failing.values()), "")

    def _sentence(self, name: str) -> str:
        kinds = self._kinds[name]
        listed = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        return (
            f"{name} forfeited {kinds.total()} of its {self._games[name]} games ({listed}), which "
            f"a rate of {FORFEIT_SHARE:.0%} does not explain: mend it first, its strength "
            "cannot be measured so"
        )

    @property
    def by_bot(self) -> Mapping[str, Mapping[str, int]]:
        """By bot and kind, with a 0 for what has not happened."""
        return {
            name: {kind.value: kinds[kind.value] for kind in FORFEITS}
            for name, kinds in self._kinds.items()
        }

    def _is_above(self, name: str) -> bool:
        evidence = log_evidence(shares=self._shares[name], limit=FORFEIT_SHARE)
        return evidence >= math.log(len(self._kinds) / FORFEIT_ERROR)
