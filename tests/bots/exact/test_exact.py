"""The player of the exact value: it never errs where the solver decides, and is fair elsewhere."""

import itertools

import pytest

from bots.budget import Budget, RemainingTime
from bots.catalogue import build
from bots.exact.player import ExactPlayer
from engine.board import Board, parse_board
from engine.position import Position
from engine.seeds import SplitMix
from engine.solver.value import Outcome, best_columns
from tests.bots.support import random_position, solver

PLENTY = Budget(nodes=20_000_000)
CASES = [
    (board, plies, seed)
    for board, depths in (
        ("4x4@0,1", (0, 3, 6)),
        ("5x5", (4, 9, 14)),
        ("5x6@2,2", (10, 15)),
        ("6x7", (0, 5, 18, 24)),
        ("7x8", (36,)),
    )
    for plies in depths
    for seed in range(2)
]


def exact(position: Position, budget: Budget) -> ExactPlayer:
    player = build("exact", board=position.board, side=position.to_move, seed=1, budget=budget)
    assert isinstance(player, ExactPlayer)
    return player


def at_ply(board: Board, plies: int, random: SplitMix) -> Position:
    """Return a random position after exactly this number of plies."""
    position = random_position(board, plies, random)
    return position if position.ply == plies else at_ply(board, plies, random)


@pytest.mark.slow
@pytest.mark.parametrize(("board", "plies", "seed"), CASES)
def test_it_plays_the_shortest_win_and_the_longest_resistance(
    board: str, plies: int, seed: int
) -> None:
    """Its column is one of the best, and the value and distance that it reports are right."""
    position = at_ply(parse_board(board), plies, SplitMix(100 * plies + seed))
    choice = exact(position, PLENTY).choose(position.moves)
    values = solver(position.board).columns(position)
    assert choice.column in best_columns(values)
    best = max(value.low for value in values if value is not None)
    assert choice.info is not None
    assert (choice.info.proven, choice.info.distance) == (str(best.outcome), best.distance)
    assert choice.info.value == float(best.outcome)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_of_drawing_columns_it_plays_the_one_with_the_most_losing_replies(seed: int) -> None:
    """It sets the opponent problems where it cannot win."""
    random = SplitMix(seed)
    judge = solver(Board(5, 5))
    position = at_ply(Board(5, 5), 8 + seed, random)
    while judge.solve(position).outcome is not Outcome.DRAW:
        position = at_ply(Board(5, 5), 8 + seed, random)
    losing = {}
    for column in best_columns(judge.columns(position)):
        after = position.play(column)
        replies = [] if after.is_over else judge.columns(after, weak=True)
        outcomes = [reply.outcome for reply in replies if reply is not None]
        losing[column] = outcomes.count(Outcome.LOSS)
    column = exact(position, PLENTY).choose(position.moves).column
    assert losing[column] == max(losing.values())


@pytest.mark.slow
def test_few_nodes_never_choose_a_column_that_is_seen_to_lose() -> None:
    """Undecided, it plays one of the columns that are not proven worse."""
    random = SplitMix(9)
    undecided = 0
    for _ in range(30):
        position = random_position(parse_board("9x9@3,4"), 14, random)
        choice = exact(position, Budget(nodes=3000)).choose(position.moves)
        assert position.can_play(choice.column)
        assert choice.info is not None
        assert (choice.info.nodes or 0) <= 3000
        undecided += choice.info.proven is None
        after = position.play(choice.column)
        if choice.info.proven != "loss" and not after.is_over:
            wins = [c for c in after.legal_moves() if after.play(c).winner is not None]
            assert not wins
    assert undecided > 5


def test_a_position_of_the_book_takes_no_nodes() -> None:
    """On the standard board the value of the first moves is known at once."""
    choice = exact(Position(Board(6, 7)), Budget(nodes=1)).choose(())
    assert choice.column == 3
    assert choice.info is not None
    assert (choice.info.nodes, choice.info.proven, choice.info.distance) == (0, "win", 41)


@pytest.mark.slow
def test_the_clock_bounds_the_solver_and_the_search_together() -> None:
    """Where nothing is decided the search gets what the solver leaves of a move's time."""
    position = at_ply(Board(9, 9), 10, SplitMix(2))
    player = exact(position, Budget(time_ms=100))
    readings = itertools.count()
    player.now = lambda: next(readings) / 1000
    player.set_clock(RemainingTime(yours_ms=60_000, theirs_ms=60_000, move_ms=1000), position.ply)
    choice = player.choose(position.moves)
    assert choice.info is not None
    assert choice.info.proven is None
    assert (choice.info.nodes or 0) > 0
    assert (choice.info.simulations or 0) > 0
    moves = (position.board.cells - position.ply) // 4
    assert next(readings) < 60_000 / moves


@pytest.mark.slow
def test_it_asks_where_an_answer_is_likely() -> None:
    """A nearly empty board gets no question, a position after an answer of its game a long one."""
    position = at_ply(Board(10, 10), 16, SplitMix(1))
    assert visited(exact(position, Budget(nodes=20_000)), position) == 0
    position = at_ply(Board(9, 9), 10, SplitMix(1))
    player = exact(position, Budget(nodes=20_000))
    assert 0 < visited(player, position) <= 600
    visited(player, Position.from_moves(Board(9, 9), (0, 8, 0, 8, 0, 7, 4, 3, 5, 2)))  # wins at 0
    assert 600 < visited(player, position) <= 20_000


def visited(player: ExactPlayer, position: Position) -> int:
    """Return the nodes of the solver for the player's next move."""
    info = player.choose(position.moves).info
    assert info is not None
    return info.nodes or 0
