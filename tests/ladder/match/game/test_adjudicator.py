"""Adjudication: only what the solver proves, by limits that do not depend on the clock."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.protocol import Budget
from db.invariants import StoredEnd, find_ending_fault
from db.records.games import Proof, Thought
from db.records.pairs import Entrant, PairPlan, PlannedPair
from db.records.rules import GameRules
from engine.board import parse_board
from engine.position import Position
from engine.result import Result, Termination
from engine.seeds import SplitMix
from engine.solver.solver import Solver
from ladder.match.game.adjudicator import Adjudicator, proof_of
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from tests.engine.solver.oracle import quiet_position
from tests.support.fakes import fake_start
from tests.support.unconfined import UNCONFINED

SILENT = Thought(1)
"""A move without a claim."""
BOARDS = (("4x4", 5), ("5x5@2,2", 12), ("6x7", 24), ("9x9@4,4", 62), ("12x12@0,0", 125))
"""Boards and plies from which the full solver answers at once."""


def claim(word: str, distance: int | None) -> Thought:
    return Thought(1, proven=word, distance=distance)  # type: ignore[arg-type]


def positions(board: str, plies: int, count: int) -> Iterator[Position]:
    """Yield random positions in which no side wins at once."""
    random = SplitMix(5)
    for _ in range(count):
        yield quiet_position(parse_board(board), plies, random)


@pytest.mark.parametrize(("board", "plies"), BOARDS)
def test_a_game_ends_when_its_true_end_is_near_enough(board: str, plies: int) -> None:
    """A game ends exactly if its true end is near enough, with the true value and distance."""
    solver, found = Solver(parse_board(board), 4), set()
    for position in positions(board, plies, 12):
        true = proof_of(position, solver.solve(position))
        assert true is not None
        for near in (4, 8, 200):
            proof = Adjudicator(position.board, near, nodes=1_000_000).find_proof(position, SILENT)
            if true.distance <= near:
                assert proof == true
            else:
                assert proof is None or (proof == true and true.value is Result.DRAW)
            found.add(proof is None)
    assert False in found


@pytest.mark.parametrize(("board", "plies"), BOARDS[1:])
def test_a_horizon_gives_bounds_that_hold_the_value(board: str, plies: int) -> None:
    """A search for near ends must never exclude the true value, whatever its node limit."""
    solver, near = Solver(parse_board(board), 4), Solver(parse_board(board), 4)
    for position in positions(board, plies, 8):
        true = solver.solve(position)
        for within in (1, 5, 9):
            for nodes in (0, 20, None):
                near.clear()
                found = near.solve(position, nodes=nodes, within=within)
                assert found.low <= true.low <= found.high


def searched_win() -> tuple[Position, Proof]:
    """Return a position that is won far enough to need a search, and the proof."""
    solver = Solver(parse_board("6x7"), 4)
    for position in positions("6x7", 20, 200):
        solution = solver.solve(position)
        proof = proof_of(position, solution)
        if proof is not None and proof.value is not Result.DRAW and solution.nodes > 20:
            return position, proof
    raise AssertionError("no such position among the random ones")


def test_a_true_claim_is_proven_first() -> None:
    """A claimed end gets a search of its own, which needs no node of the other."""
    position, proof = searched_win()
    mine = (proof.value is Result.WIN) == (position.ply % 2 == 1)
    thought = claim("win" if mine else "loss", proof.distance + 1)
    adjudicator = Adjudicator(position.board, 20, nodes=0)
    assert adjudicator.find_proof(position, SILENT) is None
    assert adjudicator.find_proof(position, thought) == proof


@pytest.mark.parametrize("nonsense", [1, 2, 3, -5, 10**18, None])
def test_a_false_claim_costs_only_the_claims(nonsense: int | None) -> None:
    """After a claim without a proof the side's claims are not searched; its games still end."""
    position, proof = searched_win()
    adjudicator = Adjudicator(position.board, 20, nodes=0)
    assert adjudicator.find_proof(position, claim("win", nonsense)) is None
    was_searched = nonsense in (2, 3)
    again = adjudicator.find_proof(position, claim("win", proof.distance + 1))
    assert again == (None if was_searched else proof)
    patient = Adjudicator(position.board, 20, nodes=1_000_000)
    assert patient.find_proof(position, claim("loss", nonsense)) == proof


@pytest.mark.slow
def test_the_referee_ends_decided_games(tmp_path: Path) -> None:
    """Both games end before the board does, alike when repeated, with a record that is possible."""
    start = fake_start("honest", folder=tmp_path)
    a, b = (Entrant(number, "ab"[number - 1], start, Budget(time_ms=100)) for number in (1, 2))
    plan = PairPlan(PlannedPair(1, 2, "6x7", "6x7", (3,), 7), a, b, rules=GameRules(adjudicate=9))
    pool = BotPool(UNCONFINED)
    try:
        records = [play_pair(plan, pool) for _ in range(2)]
    finally:
        pool.close()
    for game, again in zip(records[0].games, records[1].games, strict=True):
        assert (game.moves, game.detail) == (again.moves, again.detail)
        assert game.termination is Termination.ADJUDICATED
        position = Position.from_moves(parse_board("6x7"), game.moves)
        assert not position.is_over
        assert sum(side.moves for side in game.sides) == len(game.moves) - 1
        true = proof_of(position, Solver(position.board, 4).solve(position))
        assert Proof.of(game.termination, game.detail) == true
        assert game.result is true.value
        assert (
            find_ending_fault(
                StoredEnd(
                    position, game.result, game.termination, game.detail, GameRules(adjudicate=9)
                )
            )
            is None
        )


@pytest.mark.parametrize(
    ("result", "detail", "plies", "words"),
    [
        ("win", "win 3", 12, None),
        ("loss", "loss 4", 12, None),
        ("draw", "draw 38", 12, None),
        ("win", "win 3", None, "plays games out"),
        ("win", "win 3", 2, "is 3 plies away, not 1..2"),
        ("win", "win 4", 12, "no win can come in 4 plies"),
        ("loss", "loss 3", 12, "no loss can come in 3 plies"),
        ("loss", "win 3", 12, "adjudicated as a win"),
        ("draw", "draw 5", 12, "5 plies away, not 38..38"),
        ("win", "win soon", 12, "a proof is"),
    ],
)
def test_impossible_adjudications_are_found(
    result: str, detail: str, plies: int | None, words: str | None
) -> None:
    """A stored or sent game must have a proof that its division and its moves allow."""
    position = Position.from_moves(parse_board("6x7"), (3, 3, 3, 2))
    rules = GameRules(adjudicate=plies)
    end = StoredEnd(position, Result(result), Termination.ADJUDICATED, detail, rules)
    fault = find_ending_fault(end)
    assert (fault is None) == (words is None)
    assert (words or "") in (fault or "")
