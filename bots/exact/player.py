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
from engine.board import Board
from engine.solver.solver import Solver

TABLE_MIB = 64
"""Size of the solver's table."""
FEW_CELLS = 40
"""Most empty cells of a position that the solver may decide in the time of a move."""
FEW_CELLS_PART, MANY_CELLS_PART = 0.8, 0.15
"""Part of the budget in which the solver has to decide the position."""
NODES_PER_SIMULATION = 32
"""The solver's nodes in the time of one simulation of the champion."""


class ExactPlayer(LearnedPlayer):
    """The champion, which searches only among the columns that the solver leaves open."""

    def __init__(
        self, *, board: Board, side: int, seed: int, budget: Budget, **options: Any
    ) -> None:
        self._nodes = budget.nodes
        self._visited = 0
        self._open_columns = 0
        """The columns to search, as bits; 0 means all."""
        self._exact_solver = Solver(board, TABLE_MIB)
        self._exact_solver.map_table()
        if self._nodes is not None:
            budget = _simulations_of(self._nodes)
        super().__init__(board=board, side=side, seed=seed, budget=budget, **options)

    def choose(self, moves: Sequence[int]) -> Choice:
        """Return the best column if it is proven, else the champion's choice of the others."""
        self._open_columns = 0
        choice = super().choose(moves)
        info = msgspec.structs.replace(choice.info or Info(), nodes=self._visited)
        return Choice(choice.column, info)

    def _read(self, options: dict[str, Any]) -> None:
        self._use(read_options(EvaluationSettings, options))

    def _run_every_kernel(self) -> None:
        super()._run_every_kernel()
        self._exact_solver.prepare()

    def _exact_answer(self, started: float) -> Choice | None:
        budget = self._budget if self._nodes is None else Budget(nodes=self._nodes)
        share = self._settings.clock_share
        spent = NodeBudget(budget, share=share, started=started, now=self.now)
        proof = ColumnProof(self._position, self._exact_solver, spent)
        empty = self._board.cells - self._position.ply
        is_decided = proof.decide(FEW_CELLS_PART if empty <= FEW_CELLS else MANY_CELLS_PART)
        if is_decided:
            proof.refine()
        self._visited = spent.visited
        columns = proof.open_columns()
        if is_decided or len(columns) == 1:
            return _answer(proof, empty)
        if len(columns) < len(self._position.legal_moves()):
            self._open_columns = sum(1 << column for column in columns)
            self._begin(self._position.moves)
        if self._nodes is not None:
            self._budget = _simulations_of(self._nodes - spent.visited)
        return None

    def _begin(self, moves: tuple[int, ...]) -> None:
        if self._open_columns:
            self._root = None
        super()._begin(moves)
        if self._open_columns:
            self._root = None  # a tree without some columns is not used again

    def _root_columns(self) -> int:
        columns = super()._root_columns()
        return columns & self._open_columns or self._open_columns or columns


def _simulations_of(nodes: int) -> Budget:
    return Budget(simulations=max(1, nodes // NODES_PER_SIMULATION))


def _answer(proof: ColumnProof, empty: int) -> Choice:
    column, outcome = proof.best_column(), proof.value.outcome
    if outcome is None:
        return Choice(column, Info(pv=(column,)))
    return Choice(column, exact_info(column, outcome, proof.value.distance, empty))
