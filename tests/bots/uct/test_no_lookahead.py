"""The players without look-ahead: rollouts, selection, tree reuse and decided nodes."""

import math

import numpy as np
import pytest

from bots.host import PlayerHost
from bots.protocol import Budget, decode_request
from bots.uct.no_lookahead.player import NoLookaheadPlayer
from bots.uct.no_lookahead.search import NoLookaheadParameters, column_weights, draw_tables
from bots.uct.nodes import HEAD
from bots.uct.tree.memory import ROOT
from engine.arrays import board_words, stone_words
from engine.board import Board, parse_board
from engine.position import Position
from engine.seeds import SplitMix
from tests.bots.support import player
from tests.engine.oracle import slow_below, slow_step
from tests.support.rollouts import roll_out_without_look_ahead

BOARD = parse_board("9x9@4,4")


def built(name: str, board: Board, simulations: int) -> NoLookaheadPlayer:
    bot = player(name, board, 0, Budget(simulations=simulations))
    assert isinstance(bot, NoLookaheadPlayer)
    return bot


def children(bot: NoLookaheadPlayer) -> list[int]:
    """Return the places of the root's children."""
    first = int(bot._tree[ROOT + 2])
    return list(range(first, first + (int(bot._tree[first - HEAD]) >> 8)))


@pytest.mark.parametrize("rollout", ["random", "middle", "seven"])
def test_tables_draw_by_the_weights(rollout: str) -> None:
    """Every set of columns: each of its columns has exactly its weight's share of the numbers."""
    for columns in (4, 9, 12):
        weights = column_weights(rollout, columns)
        tables = draw_tables(rollout, columns)
        for mask in range(1, 2**columns):
            members = [column for column in range(columns) if mask >> column & 1]
            total = int(tables.totals[mask])
            found = [int(bit).bit_length() - 1 for bit in tables.columns[mask, :total]]
            assert found == [c for c in members for _ in range(weights[c])]


def roll_by_hand(position: Position, rollout: str, state: int) -> tuple[int, int]:
    """Play a rollout as described; return twice the result and the generator's state."""
    weights = column_weights(rollout, position.board.columns)
    side = position.to_move
    while not position.is_over:
        state = slow_step(state)
        drawn = [column for column in position.legal_moves() for _ in range(weights[column])]
        position = position.play(drawn[slow_below(state, len(drawn))])
    return 1 if position.winner is None else 2 * (position.winner == side), state


@pytest.mark.slow
@pytest.mark.parametrize("rollout", ["random", "middle", "seven"])
def test_the_kernel_plays_rollouts_as_described(rollout: str) -> None:
    """Result and generator agree with the rollout by hand."""
    for text in ("9x9@4,4", "4x12", "12x6@0,0"):
        board, random = parse_board(text), SplitMix(7)
        parameters = NoLookaheadParameters(0, 1.0, 0, 0.0, *draw_tables(rollout, board.columns))
        for _ in range(60):
            state, position = random.next64() | 1, Position(board)
            found = roll_out_without_look_ahead(
                stone_words(position), board_words(board), np.uint64(state), parameters
            )
            assert (found[0], int(found[1])) == roll_by_hand(position, rollout, state)


@pytest.mark.parametrize(("name", "factor"), [("mcts1", 0.8 * 2**0.5), ("uct-seven", 2**0.5)])
def test_the_next_child_is_that_of_the_formula(name: str, factor: float) -> None:
    """The next child is the one with the largest v + factor * sqrt(ln(n_p) / n), v in -1 .. 1."""
    for results in ((9, 3), (8, 8), (3, 1), (2, 5)):
        for visits in ((10, 4), (100, 9), (40, 40)):
            bot = built(name, Board(4, 4), 1)
            bot.choose(())
            bot.advance(3)
            nodes = bot._tree
            nodes[ROOT] = parent = sum(visits) + 60
            places = children(bot)
            scores = [
                min(2 * n, result * n // 5) for n, result in zip(visits, results, strict=True)
            ]
            shown = [(n, s) for n, s in zip((*visits, 30, 30), (*scores, 0, 0), strict=True)]
            for place, (n, score) in zip(places, shown, strict=True):
                nodes[place], nodes[place + 4] = n, score
            values = [s / n - 1 + factor * math.sqrt(math.log(parent) / n) for n, s in shown]
            bot.advance(1)
            now = [int(nodes[place]) for place in places]
            grown = [a - b[0] for a, b in zip(now, shown, strict=True)]
            assert grown.index(1) == values.index(max(values))
            assert sum(grown) == 1


@pytest.mark.parametrize("name", ["mcts2", "mcts3"])
def test_tidying_changes_no_move(name: str) -> None:
    """A host that never calls `tidy` gets the same game."""
    games = []
    for tidies in (True, False):
        sides = [player(name, BOARD, side, Budget(simulations=500), seed=3) for side in (0, 1)]
        position = Position(BOARD)
        while not position.is_over:
            bot = sides[position.to_move]
            assert isinstance(bot, NoLookaheadPlayer)
            position = position.play(bot.choose(position.moves).column)
            if tidies:
                bot.tidy()
        games.append(position.moves)
    assert games[0] == games[1]


def test_the_host_tidies_after_the_answer() -> None:
    """The host calls `tidy` of players that have it, between two moves."""
    host = PlayerHost()
    host.answer(
        decode_request(
            b'{"type":"new_game","rows":9,"columns":9,"forbidden":[4,4],"connect":4,"side":0,'
            b'"seed":1,"budget":{"simulations":200},"player":"mcts3","game":"1"}'
        )
    )
    host.answer(decode_request(b'{"type":"move","ply":0,"moves":[]}'))
    bot = host._player
    assert isinstance(bot, NoLookaheadPlayer)
    assert bot._root == ()
    assert host.tidy is not None
    host.tidy()
    assert bot._root is not None
    assert len(bot._root) == 1
