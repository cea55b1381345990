"""Bounds on the values of a position's columns, narrowed as far as a budget of nodes allows.

The questions follow each other by their worth: the value of the position, a column that keeps it,
the distance of its end, a column with that distance; in a draw, how many replies lose.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

from bots.move_budget import UNBOUNDED, NodeBudget
from engine.position import Position
from engine.solver.solver import Solver, solution_of_move
from engine.solver.value import Outcome, Solution, Value

ROOT_PART = 0.7
"""Part of the budget of `decide` after which columns are searched one by one."""
FIRST_NODES = 1000
"""Nodes for each of several positions in the first round; a round has `GROWTH` times those of the
last one, so that an easy position does not wait for a hard one."""
GROWTH = 4
UNKNOWN = Solution(Value(Outcome.LOSS, 0), Value(Outcome.WIN, 1), 0)


class ColumnProof:
    """The bounds on the values of the columns of a position, for the side to move."""

    def __init__(self, position: Position, solver: Solver, budget: NodeBudget) -> None:
        self._position = position
        self._solver = solver
        self._budget = budget
        self.value = UNKNOWN
        """Bounds on the value of the position."""
        middle = position.board.columns - 1
        columns = sorted(position.legal_moves(), key=lambda column: abs(2 * column - middle))
        self._after = {column: position.play(column) for column in columns}
        self._bounds = {
            column: solution_of_move(after, None) if after.is_over else UNKNOWN
            for column, after in self._after.items()
        }
        self._losing_replies: Counter[int] = Counter()

    def decide(self, part: float) -> bool:
        """Find the outcome and a column that keeps it, within a part of the budget.

        Returns:
            Whether both are found.

        """
        answer, _ = self._ask(self._position, ROOT_PART * part, weak=True)
        self._narrow(answer)
        self._ask_columns(part, lambda: self._is_decided, weak=True)
        return self._is_decided

    def refine(self) -> None:
        """Find the best of the columns that keep the outcome, with the rest of the budget."""
        if self.value.outcome is Outcome.DRAW:
            self._ask_columns(1.0, lambda: False, weak=True)
            self._count_losing_replies()
            return
        answer, _ = self._ask(self._position, 1.0)
        self._narrow(answer)
        distance = self.value.distance
        if distance is not None:
            # The opponent, who plays next, loses in one ply less, or does not win two plies sooner.
            within = distance - 1 if self.value.outcome is Outcome.WIN else distance - 2
            self._ask_columns(1.0, lambda: self._best_low == self.value.low, within=within)

    def open_columns(self) -> tuple[int, ...]:
        """Return the columns that are not proven worse than another, nearest the centre first."""
        least = max(self._best_low, self.value.low)
        return tuple(column for column, found in self._bounds.items() if found.high >= least)

    def best_column(self) -> int:
        """Return the best column by what is proven."""
        return max(
            self.open_columns(),
            key=lambda column: (self._bounds[column].low, self._losing_replies[column]),
        )

    @property
    def _best_low(self) -> Value:
        return max(found.low for found in self._bounds.values())

    @property
    def _is_decided(self) -> bool:
        return self.value.outcome is self._best_low.outcome

    def _narrow(self, answer: Solution) -> None:
        """Narrow the bounds of the position by an answer and by those of its columns."""
        highest = max(found.high for found in self._bounds.values())
        columns = Solution(self._best_low, highest, 0)
        self.value = _both(_both(self.value, answer), columns)

    def _ask_columns(self, part: float, is_enough: Callable[[], bool], **question: Any) -> None:
        """Ask a question about each open column until its answers are enough."""
        answered = {column for column, after in self._after.items() if after.is_over}
        nodes = FIRST_NODES
        while not is_enough():
            asked = [column for column in self.open_columns() if column not in answered]
            for column in asked:
                answer, is_complete = self._ask(self._after[column], part, nodes, **question)
                found = solution_of_move(self._after[column], answer)
                self._bounds[column] = _both(self._bounds[column], found)
                self._narrow(UNKNOWN)
                if is_complete:
                    answered.add(column)
                if is_enough():
                    return
            if not asked or not self._budget.grant(part):
                return
            nodes *= GROWTH

    def _count_losing_replies(self) -> None:
        """Count the replies to each drawing column that are proven to lose."""
        drawing = [c for c, found in self._bounds.items() if found.low.outcome is Outcome.DRAW]
        if len(drawing) == 1:
            return
        replies = {
            (column, reply): self._after[column].play(reply)
            for column in drawing
            for reply in self._after[column].legal_moves()
            if not self._after[column].play(reply).is_over
        }
        nodes = FIRST_NODES
        while replies and self._budget.grant():
            for (column, reply), position in list(replies.items()):
                answer, is_complete = self._ask(position, 1.0, nodes, weak=True)
                if is_complete:
                    del replies[column, reply]
                    self._losing_replies[column] += answer.outcome is Outcome.WIN
            nodes *= GROWTH

    def _ask(
        self, position: Position, part: float, nodes: int = UNBOUNDED, **question: Any
    ) -> tuple[Solution, bool]:
        """Return the solver's answer to a question, and whether it needed no more nodes.

        The answer without a node costs nothing: that of the book, or of forced moves.

        Args:
            position: a position that is not over.
            part: part of the budget that may be spent before the answer.
            nodes: most nodes of this answer.
            question: `weak` or `within` of `Solver.solve`.

        """
        while True:
            grant = min(self._budget.grant(part), nodes)
            answer = self._solver.solve(position, nodes=grant, **question)
            self._budget.record(answer.nodes)
            if answer.nodes < grant or not grant:
                return answer, answer.nodes < grant
            nodes -= grant


def _both(first: Solution, second: Solution) -> Solution:
    """Return the bounds that follow from two answers about one position."""
    return Solution(max(first.low, second.low), min(first.high, second.high), 0)
