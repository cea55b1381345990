"""The adjudicator: proves the results of games in play, so that decided games can end at once.

It is asked between a bot's answer and the next question, on no bot's clock. Its search is bounded
by nodes, not by time: the same moves are adjudicated alike on every machine.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from db.records.games import Proof, Thought
from engine.board import Board
from engine.board_class import BoardClass
from engine.mutable_game import MutableGame
from engine.position import Position
from engine.result import Result
from engine.solver.value import Outcome, Solution
from ladder.match.game.endings import GameEnd

if TYPE_CHECKING:
    from engine.solver.solver import Solver

TABLE_MIB = 4
"""Size of the solver's table, which each game begins empty."""
NODES = 4000
"""Node limit of each search; about 1 ms."""
CLAIM_NODES = 100_000
"""Node limit for a search of an end that a bot claims to have proven."""
RESULTS = {Outcome.WIN: Result.WIN, Outcome.DRAW: Result.DRAW, Outcome.LOSS: Result.LOSS}


class Adjudicator:
    """Proves the results of one game."""

    def __init__(self, board: Board, plies: int, *, nodes: int = NODES) -> None:
        """Load the solver, so that no time is lost during the game.

        Args:
            board: the board of the game.
            plies: the greatest distance to the proven end; unavoidable draws may be farther away
                if no side can complete a line any more.
            nodes: node limit of each search without a claim.

        """
        self._plies, self._nodes = plies, nodes
        self._solver = _open_solver(board)
        self._solver.prepare()
        self._is_trusted = [True, True]
        """Whether the claims of each side are checked; after one without a proof they are not."""

    def after_move(self, game: MutableGame, thoughts: Sequence[Thought]) -> GameEnd | None:
        """Return the proven end of the game, or None."""
        proof = self.find_proof(game.position(), thoughts[-1])
        return None if proof is None else GameEnd.by_proof(proof)

    def find_proof(self, position: Position, thought: Thought) -> Proof | None:
        """Return the proof of the game's result, or None if it is not found within the limits.

        A claim of the last mover is checked first: a search for an end at the claimed distance is
        far cheaper than one for any end, so it may take more nodes.

        Args:
            position: the position, which is not over.
            thought: the record of the last move.

        """
        mover = 1 - (position.ply & 1)
        claimed = (thought.distance or 0) - 1
        if self._is_trusted[mover] and 0 < claimed <= self._plies:
            proof = self._search(position, claimed, CLAIM_NODES)
            if proof is not None:
                return proof
            self._is_trusted[mover] = False
        return self._search(position, self._plies, self._nodes)

    def _search(self, position: Position, plies: int, nodes: int) -> Proof | None:
        """Search for a proven end within a number of plies."""
        proof = proof_of(position, self._solver.solve(position, nodes=nodes, within=plies))
        is_near = proof is not None and (proof.value is Result.DRAW or proof.distance <= plies)
        return proof if is_near else None


def proof_of(position: Position, solution: Solution) -> Proof | None:
    """Return the proven end of a position, or None if the solution is not exact."""
    if not solution.is_exact:
        return None
    outcome, distance = solution.low.outcome, solution.low.distance
    if distance is None:
        return Proof(Result.DRAW, position.board.cells - position.ply)
    result = RESULTS[outcome]
    return Proof(result.mirrored if position.ply & 1 else result, distance)


def needs_compiling(boards: Iterable[BoardClass]) -> bool:
    """Return whether the solver's kernels for these boards are missing in the cache."""
    return not all(_open_solver(each.smallest).is_compiled for each in boards)


def compile_solver(boards: Iterable[BoardClass]) -> None:
    """Compile the solver's kernels for boards; for a process of its own, to free the memory."""
    for each in boards:
        _open_solver(each.smallest).prepare()


def _open_solver(board: Board) -> "Solver":
    from engine.solver.solver import Solver  # loads the compiler

    return Solver(board, TABLE_MIB)
