"""Threads on one tree: the budget holds, proofs are true, and no race breaks the tree."""

import os
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from bots.budget import Budget
from bots.catalogue import build
from bots.errors import SpecError
from bots.host import Host
from bots.learned.network import WHOLE
from bots.learned.player import LearnedPlayer
from bots.player import Info
from bots.protocol import NewGame
from bots.uct.meta import outcome_of
from bots.uct.outcome import DRAWN, LOST, OPEN, WON
from bots.uct.siblings import FIELDS, FIRST_FREE, HEAD, SLACK
from bots.uct.tree.layout import ROOT, USED
from engine.board import parse_board
from engine.position import Position
from engine.seeds import SplitMix
from tests.bots.oracle import true_value
from tests.bots.support import random_position

SMALL = ("4x4", "4x5@2,2", "5x4@3,0", "5x5", "5x5@4,4")
LARGE = ("9x9@4,4", "12x12@0,11", "10x11@9,3")
EXACT = {WON: 1, DRAWN: 0, LOST: -1}
RESULTS = {"win": 1, "draw": 0, "loss": -1}


class Node(NamedTuple):
    """A node of a tree with its children."""

    moves: tuple[int, ...]
    """The columns from the root."""
    visits: int
    score: int
    outcome: int
    children: tuple["Node", ...]

    @property
    def descents(self) -> int:
        """Number of searches below the node; one without children was counted once when made."""
        return self.visits if self.children else self.visits - 1


def threaded(threads: int, position: Position, budget: Budget, seed: int = 1) -> LearnedPlayer:
    """Return v23 with threads, in little memory and without the solver of endgames."""
    made = build(
        f"v23?threads={threads}&memory_mib=1&endgame=0",
        board=position.board,
        side=position.to_move,
        seed=seed,
        budget=budget,
    )
    assert isinstance(made, LearnedPlayer)
    return made


def search(bot: LearnedPlayer, position: Position, *, was_full: bool = False) -> Info:
    """Choose a legal column, check the tree, and return the statistics."""
    column, info = bot.choose(position.moves)
    assert position.can_play(column)
    assert info is not None
    check_tree(bot, position, was_full=was_full)
    return info


def nodes_of(bot: LearnedPlayer) -> Iterator[Node]:
    """Yield every node below the root; fail if blocks overlap or have two parents."""
    tree, used = bot._tree, int(bot._counters[USED])
    blocks = {}
    place = FIRST_FREE
    while place < used:
        siblings = int(tree[place]) & 255
        assert siblings == int(tree[place]) >> 8 > 0
        blocks[place + HEAD] = siblings
        place += HEAD + FIELDS * siblings
    assert place == used <= len(tree) - SLACK

    def read(at: int, k: int, moves: tuple[int, ...]) -> Node:
        visits, score, first, meta = (int(tree[at + field * k]) for field in range(FIELDS))
        children: tuple[Node, ...] = ()
        if first:
            siblings = blocks.pop(first)  # a block has one parent, which stands before it
            assert first > at
            metas = [int(tree[first + i + 3 * siblings]) for i in range(siblings)]
            children = tuple(
                read(first + i, siblings, (*moves, metas[i] >> 12 & 15)) for i in range(siblings)
            )
        return Node(moves, visits, score, int(outcome_of(meta)), children)

    waiting = [read(ROOT, 1, ())]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children


def check_tree(bot: LearnedPlayer, position: Position, *, was_full: bool) -> None:
    """Check visits, scores and proofs of a whole tree.

    A thread that is interrupted between reading and writing a number loses the updates of others,
    so the sums of a few nodes may be wrong. Visits of a node that had no children because memory
    was full are dropped when it gets some.
    """
    nodes = wrong = 0
    is_small = position.board.cells <= 25
    for node in nodes_of(bot):
        nodes += 1
        outcomes = {child.outcome for child in node.children}
        if node.outcome == OPEN:
            assert node.visits >= 1
            assert node.score >= 0 or not node.moves
            wrong += node.score > WHOLE * (node.visits + 1)
            # No proof is lost.
            assert WON not in outcomes
            assert not node.children or OPEN in outcomes
        elif is_small and node.moves:
            after = Position.from_moves(position.board, (*position.moves, *node.moves))
            assert EXACT[node.outcome] == _value_for_mover(after)
        if node.children and not was_full:
            descents = sum(child.descents for child in node.children)
            wrong += abs(node.visits - 1 - descents) > 4 + node.visits // 5
    assert wrong <= 2 + nodes // 100


def _value_for_mover(position: Position) -> int:
    """Return the exact value for the side that moved last."""
    if position.is_over:
        return int(position.winner is not None)
    return -true_value(position)[0]


def small_positions(count: int, seed: int) -> Iterator[Position]:
    """Yield random positions with few empty cells."""
    random = SplitMix(seed)
    for number in range(count):
        board = parse_board(SMALL[number % len(SMALL)])
        yield random_position(board, board.cells - 4 - random.below(9), random)


@pytest.mark.parametrize("board", LARGE)
def test_threads_share_the_budget(board: str) -> None:
    """All threads together make the given simulations, also if they are fewer than the threads."""
    position = Position(parse_board(board))
    for simulations in (2, 1001):
        bot = threaded(3, position, Budget(simulations=simulations))
        assert search(bot, position).simulations == simulations


@pytest.mark.slow
def test_threads_play_on_in_full_memory() -> None:
    """A full tree takes no more nodes, and later moves use its memory again."""
    position = Position(parse_board(LARGE[0]))
    bot = threaded(4, position, Budget(simulations=15_000))
    for _ in range(4):
        info = search(bot, position, was_full=True)
        assert info.simulations == 15_000
        assert info.pv is not None
        for column in info.pv[:2]:
            position = position.play(column)


def test_threads_move_in_time() -> None:
    """Under a time budget every thread searches until the time is used."""
    position = Position(parse_board(LARGE[1]))
    info = search(threaded(2, position, Budget(time_ms=20)), position)
    assert info.simulations is not None
    assert info.simulations >= 2


@pytest.mark.slow
def test_proofs_of_threads_are_true() -> None:
    """Small positions are solved to the end, and every proof in their trees is right."""
    for number, position in enumerate(small_positions(20, 3)):
        info = search(threaded(4, position, Budget(simulations=100_000), number), position)
        assert info.proven is not None
        assert RESULTS[info.proven] == true_value(position)[0]


@pytest.mark.very_slow
def test_many_short_searches_break_no_tree() -> None:
    """Searches of two to six threads are stopped at any point of a proof."""
    random = SplitMix(11)
    for number, position in enumerate(small_positions(300, 5)):
        budget = Budget(simulations=20 + random.below(1500))
        search(threaded(2 + random.below(5), position, budget, number), position)


def test_one_thread_is_the_usual_search() -> None:
    """Only several threads make a search depend on the machine."""
    found = []
    for name in ("v23", "v23?threads=1"):
        budget = Budget(simulations=700)
        bot = build(name, board=parse_board(LARGE[0]), side=0, seed=4, budget=budget)
        found.append(bot.choose((4, 4)))
    assert found[0] == found[1]


def test_more_threads_than_cpus_are_refused() -> None:
    """The host refuses them before it allocates anything."""
    cpus = len(os.sched_getaffinity(0))
    game = NewGame(
        game="g",
        rows=6,
        columns=7,
        forbidden=None,
        side=0,
        budget=Budget(simulations=1),
        seed=1,
        player=f"v23?threads={cpus + 1}",
    )
    with pytest.raises(SpecError, match=f"{cpus + 1} threads, but may use only {cpus} CPU"):
        Host().answer(game)


def test_no_thread_is_refused() -> None:
    """A search needs a thread."""
    with pytest.raises(SpecError, match="option 'threads' must be at least 1, got 0"):
        threaded(0, Position(parse_board("4x4")), Budget(simulations=1))
