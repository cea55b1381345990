"""What an experiment will cost, before it is submitted."""

from collections.abc import Sequence
from dataclasses import dataclass

from db.store import Store
from engine.board import BoardClass, format_board_classes
from ladder.experiments.gate.cost import expected_games
from ladder.experiments.gate.question import GateTest

PLIES_PER_CELL = 0.6
"""Plies of a game per cell of its board, for boards without stored games."""
THU_CELLS = 110
"""Mean number of cells of the boards of class ``thu``."""
SAMPLE = 400
"""Number of latest games whose duration is measured."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The expected cost of an experiment."""

    games: float
    """Expected games."""
    most_games: float
    """Games after which it ends in any case."""
    game_s: float | None
    """Seconds of one slot per game; None if unknown."""
    is_measured: bool
    """Whether the time is that of stored games under these boards and budgets."""

    @property
    def machine_hours(self) -> float | None:
        """Expected hours of one slot; None if unknown."""
        return None if self.game_s is None else self.games * self.game_s / 3600

    @property
    def most_machine_hours(self) -> float | None:
        """Hours of one slot at most; None if unknown."""
        return None if self.game_s is None else self.most_games * self.game_s / 3600


def estimate_gate(test: GateTest, baselines: int) -> tuple[float, float]:
    """Return the expected and the largest number of games of a gate with an equal candidate."""
    each = expected_games([0] * 5, test.sprt(baselines)).if_equal
    return min(each * baselines, test.games), float(test.games)


def estimate_game(
    store: Store, boards: Sequence[BoardClass], kind: str, amount: int
) -> tuple[float | None, bool]:
    """Return the seconds of a game, and whether they were measured under these conditions.

    Without games under these conditions, the time of those with another amount is scaled; without
    any, a time per move is multiplied by the usual number of plies.

    Args:
        store: an open database.
        boards: the boards.
        kind: a kind of budget, such as ``time_ms`` or ``nodes``.
        amount: its amount per move.

    """
    listed = format_board_classes(boards)
    alike = {
        division.id: division.budget[kind]
        for division in store.divisions.all()
        if division.boards == listed and tuple(division.budget) == (kind,)
    }
    same = [key for key, other in alike.items() if other == amount]
    measured = store.games.mean_seconds(same, latest=SAMPLE) if same else None
    if measured is not None:
        return measured, True
    for other in sorted(set(alike.values()), key=lambda each: abs(each - amount)):
        keys = [key for key, each in alike.items() if each == other]
        seconds = store.games.mean_seconds(keys, latest=SAMPLE)
        if seconds is not None and kind != "depth":
            return seconds * amount / other, False
    if kind != "time_ms":
        return None, False
    cells = [THU_CELLS if each.board is None else each.board.cells for each in boards]
    return amount / 1000 * PLIES_PER_CELL * sum(cells) / len(cells), False
