"""Forfeits in a gate: is one bot failing more often than strength can be measured with?

A bot that forfeits now and then is measured with its failures, as losses. One that does so more
often than `FORFEIT_SHARE` makes the gate invalid, whoever it is. The gate looks after every pair,
so the rate itself is tested, sequentially: `ladder.ratings.rate_limit`.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from engine.result import FORFEITS, Termination
from ladder.ratings.rate_limit import log_evidence
from ladder.standings.standings import FORFEIT_MINIMUM, FORFEIT_SHARE

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

    @property
    def culprit(self) -> str:
        """A sentence about a bot that fails too often; empty while there is none."""
        for name, kinds in self._kinds.items():
            count = kinds.total()
            if count >= FORFEIT_MINIMUM and self._is_above(name):
                listed = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
                return (
                    f"{name} forfeited {count} of its {self._games[name]} games ({listed}), which "
                    f"a rate of {FORFEIT_SHARE:.0%} does not explain: mend it first, its strength "
                    "cannot be measured so"
                )
        return ""

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
