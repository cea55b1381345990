"""The player of the exact value."""

from collections.abc import Sequence
from typing import Any

import msgspec

from bots.budget import Budget
from bots.exact.proof import ColumnProof
from bots.learned.player import LearnedPlayer
from bots.learned.versions import EvaluationSettings
from bots.move_budget import NodeBudget
from bots.options import read_options
from bots.player import Choice, Info, exact_info
from bots.uct.root import Candidate
from engine.board import Board
from engine.solver.solver import Solver

TABLE_MIB = 64
"""Size of the solver's table."""
LIKELY_CELLS = 36
"""Most empty cells of a position that the solver nearly always decides in the time of a move."""
POSSIBLE_CELLS = 72
"""Most empty cells of a position that it sometimes decides."""
LIKELY_PART, POSSIBLE_PART = 0.8, 0.03
"""Part of the budget in which the solver has to decide the position. An answer that is not found in
little time is rarely found in much: see docs/results/exact.md."""
NODES_PER_SIMULATION = 8
"""The solver's nodes in the time of one simulation of the champion: 5 on large boards, 15 on the
standard board."""


class ExactPlayer(LearnedPlayer):
    """The champion, which chooses only among the columns that the solver leaves open."""

    def __init__(
        self, *, board: Board, side: int, seed: int, budget: Budget, **options: Any
    ) -> None:
        self._nodes = budget.nodes
        self._visited = 0
        self._open_columns: tuple[int, ...] = ()
        """The columns that are not proven worse than another; empty means all."""
        self._was_decided = False
        """Whether the last question of this game was decided: then the next one nearly always is,
        as a position two plies later is easier and the table has most of it."""
        self._exact_solver = Solver(board, TABLE_MIB)
        if budget.is_timed:
            self._exact_solver.map_table()
        if self._nodes is not None:
            budget = _simulations_of(self._nodes)
        super().__init__(board=board, side=side, seed=seed, budget=budget, **options)

    def choose(self, moves: Sequence[int]) -> Choice:
        """Return the best column if it is proven, else the champion's choice of the others."""
        self._open_columns, self._visited = (), 0
        choice = super().choose(moves)
        info = msgspec.structs.replace(choice.info or Info(), nodes=self._visited)
        return Choice(choice.column, info)

    def _read(self, options: dict[str, Any]) -> None:
        self._use(read_options(EvaluationSettings, options))

    def _run_every_kernel(self) -> None:
        super()._run_every_kernel()
        self._exact_solver.prepare()

    def _exact_answer(self, started: float) -> Choice | None:
        if self._nodes is not None:
            self._budget = _simulations_of(self._nodes)
        empty = self._board.cells - self._position.ply
        if empty > POSSIBLE_CELLS and not self._was_decided:
            return None
        budget = self._budget if self._nodes is None else Budget(nodes=self._nodes)
        share = self._settings.clock_share
        spent = NodeBudget(budget, share=share, started=started, now=self.now)
        proof = ColumnProof(self._position, self._exact_solver, spent)
        is_likely = empty <= LIKELY_CELLS or self._was_decided
        self._was_decided = proof.decide(LIKELY_PART if is_likely else POSSIBLE_PART)
        if self._was_decided:
            proof.refine()
        self._visited = spent.visited
        self._open_columns = proof.open_columns()
        outcome = proof.value.outcome
        if self._was_decided and outcome is not None:
            column = proof.best_column()
            return Choice(column, exact_info(column, outcome, proof.value.distance, empty))
        if self._nodes is not None:
            self._budget = _simulations_of(self._nodes - spent.visited)
        return None

    def _best(self, candidates: list[Candidate]) -> Candidate:
        # The search has all columns: without some, the next one could not use its tree.
        of_open = [each for each in candidates if each.column in self._open_columns]
        return super()._best(of_open or candidates)


def _simulations_of(nodes: int) -> Budget:
    return Budget(simulations=max(1, nodes // NODES_PER_SIMULATION))
