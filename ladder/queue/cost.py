"""What an experiment will cost, before it is submitted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from db.store import Store
from engine.board import BoardClass, format_board_classes
from ladder.experiments.gate.cost import expected_games
from ladder.experiments.gate.question import GateTest
from ladder.runs.budgets import Budgets

PLIES_PER_CELL = 0.6
"""Plies of a game per cell of its board, for boards without stored games."""
THU_CELLS = 110
"""Mean number of cells of the boards of class ``thu``."""
SAMPLE = 400
"""Number of latest games whose duration is measured."""


@dataclass(frozen=True, slots=True)
class Workload:
    """Games of one kind that an experiment plays."""

    games: float | None
    """Expected games; None if only the most is known."""
    most_games: float
    """Games after which it ends in any case."""
    budgets: Budgets
    boards: tuple[BoardClass, ...]


@dataclass(frozen=True, slots=True)
class Cost:
    """The expected cost of an experiment."""

    games: float | None
    """Expected games; None if only the most is known."""
    most_games: float
    """Games after which it ends in any case."""
    machine_s: float | None
    """Expected seconds of one slot; None if unknown."""
    most_machine_s: float | None
    """Most seconds of one slot; None if unknown."""
    is_measured: bool
    """Whether the time is that of stored games under these boards and budgets."""

    @property
    def game_s(self) -> float | None:
        """Seconds of one slot per game; None if unknown."""
        return None if self.most_machine_s is None else self.most_machine_s / self.most_games


def estimate_cost(times: "GameTimes", workloads: Sequence[Workload]) -> Cost:
    """Return the cost of the games of an experiment.

    Args:
        times: the times of games.
        workloads: what it plays; not empty.

    """
    found = [(each, *times.of(each.boards, each.budgets)) for each in workloads]
    return Cost(
        games=_sum(each.games for each in workloads),
        most_games=sum(each.most_games for each in workloads),
        machine_s=_sum(
            None if each.games is None or seconds is None else each.games * seconds
            for each, seconds, _ in found
        ),
        most_machine_s=_sum(
            None if seconds is None else each.most_games * seconds for each, seconds, _ in found
        ),
        is_measured=all(is_measured for _, _, is_measured in found),
    )


def _sum(amounts: Iterable[float | None]) -> float | None:
    """Return the sum; None if an amount is unknown."""
    found = [*amounts]
    known = [each for each in found if each is not None]
    return sum(known) if len(known) == len(found) else None


def estimate_gate(test: GateTest, baselines: int) -> tuple[float, float]:
    """Return the expected and the largest number of games of a gate with an equal candidate."""
    each = expected_games([0] * 5, test.sprt(baselines)).if_equal
    return min(each * baselines, test.games), float(test.games)


class GameTimes:
    """The times of games, from those that are stored."""

    def __init__(self, store: Store) -> None:
        """Read the divisions of an open database."""
        self._store = store
        self._divisions = store.divisions.all()
        self._known: dict[object, tuple[float | None, bool]] = {}

    def of(self, boards: Sequence[BoardClass], budgets: Budgets) -> tuple[float | None, bool]:
        """Return the seconds of a game, and whether they were measured under these conditions.

        Without games under these conditions, the time of those with another amount is scaled;
        without any, a time per move is multiplied by the usual number of plies.

        Args:
            boards: the boards.
            budgets: the budgets of a move or of a game.

        """
        key = (format_board_classes(boards), *budgets.amounts.items())
        if key not in self._known:
            self._known[key] = self._estimate(boards, dict(budgets.amounts), budgets)
        return self._known[key]

    def _estimate(
        self, boards: Sequence[BoardClass], amounts: dict[str, int], budgets: Budgets
    ) -> tuple[float | None, bool]:
        listed, mean = format_board_classes(boards), self._store.games.mean_seconds
        there = [each for each in self._divisions if each.boards == listed]
        same = [each.id for each in there if dict(each.budget) == amounts]
        measured = mean(same, latest=SAMPLE) if same else None
        if measured is not None:
            return measured, True
        kind, amount = next(iter(amounts.items()))
        if len(amounts) == 1 and kind != "depth":
            alike = {each.id: each.budget[kind] for each in there if tuple(each.budget) == (kind,)}
            for other in sorted(set(alike.values()), key=lambda each: abs(each - amount)):
                keys = [key for key, each in alike.items() if each == other]
                seconds = mean(keys, latest=SAMPLE)
                if seconds is not None:
                    return seconds * amount / other, False
        cells = [THU_CELLS if each.board is None else each.board.cells for each in boards]
        longest_us = budgets.longest_us(round(PLIES_PER_CELL * sum(cells) / len(cells) / 2))
        return None if longest_us is None else 2 * longest_us / 1e6, False
