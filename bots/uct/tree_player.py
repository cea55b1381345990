"""The players with a fast tree, v5 to v13."""

import time
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from bots.draw import first_state
from bots.options import read_options
from bots.player import Choice
from bots.protocol import Budget, Info
from bots.spending import spend
from bots.uct import tree
from bots.uct.final import Candidate, best_mean, best_proven
from bots.uct.keep import find_child, keep_below
from bots.uct.outcome import DRAWN, LOST, OPEN, WON
from bots.uct.record import (
    DISTANCE,
    FIELDS,
    FIRST_FREE,
    HEAD,
    OUTCOME,
    ROOT,
    SLACK,
)
from bots.uct.rootlook import Look, look_at
from bots.uct.settings import Settings
from engine.board import Board
from engine.lanes import board_words, stone_words
from engine.position import Position

FASTEST = 3000
"""Simulations in a millisecond that no machine exceeds; bounds the tree of a timed move."""
SURPLUS_DESCENTS = 4
"""Descents made per simulation asked for, before a search with nothing new to find gives up."""
REUSED_MOVES = 8
"""Room for what is kept from former moves, in searches of one move."""
PV_PLIES = 16
OUTCOMES: dict[int, Literal["win", "draw", "loss"]] = {WON: "win", DRAWN: "draw", LOST: "loss"}


class TreePlayer:
    """One side of one game. Its options are the fields of `Settings`."""

    def __init__(
        self, *, board: Board, side: int, seed: int, budget: Budget, **options: Any
    ) -> None:
        del side  # the moves tell
        self._board = board
        self._seed = seed
        self._budget = budget
        self._settings = read_options(Settings, options)
        self._flags = flags_of(self._settings)
        self._words = board_words(board)
        self._path = np.zeros(2 * (board.cells + 2), np.int32)
        self._counters = np.zeros(tree.COUNTERS, np.uint64)
        self._root: tuple[int, ...] | None = None
        self._tree = np.empty(self._integers(4), np.int32)
        self._warm_up()
        self._tree = np.empty(self._integers(self._wanted()), np.int32)
        self._root = None

    def choose(self, moves: Sequence[int]) -> Choice:
        """The best column by the rules of the version."""
        started = time.perf_counter()
        self._settle(tuple(moves))
        if not self._solved():
            spend(self, self._budget, share=self._settings.clock_share, started=started)
        return self._answer()

    def advance(self, simulations: int) -> bool:
        """Make that many new simulations; False when the root is solved."""
        run = tree.search if self._settings.vector else tree.search_plain
        run(
            self._stones,
            self._words,
            self._tree,
            self._path,
            self._counters,
            self._flags,
            self._settings.c,
            simulations,
            SURPLUS_DESCENTS * simulations,
        )
        return not self._solved()

    def _warm_up(self) -> None:
        """Compile, or load from the cache, everything that `choose` will call."""
        self._settle(())
        self.advance(3)
        column = int(self._tree[int(self._tree[ROOT + 2]) + 3 * self._siblings(ROOT, 1)]) >> 12 & 15
        self._settle((column,))

    def _wanted(self) -> int:
        move = self._budget.simulations or FASTEST * (self._budget.time_ms or 1)
        return move * (REUSED_MOVES if self._settings.reuse else 1)

    def _integers(self, simulations: int) -> int:
        cap = self._settings.memory_mib * 2**18
        block = HEAD + FIELDS * self._board.columns
        return min(cap, (simulations + 2) * block + FIRST_FREE + SLACK)

    def _solved(self) -> bool:
        return self._settings.solve and int(self._tree[ROOT + 3]) >> OUTCOME & 3 != OPEN

    # --- the root ---------------------------------------------------------------------------

    def _settle(self, moves: tuple[int, ...]) -> None:
        """Make the position after the moves the root, with what is known of it."""
        position = Position.from_moves(self._board, moves)
        self._position = position
        self._stones = stone_words(position)
        self._look = look_at(position)
        kept = self._settings.reuse and self._keep(moves)
        if not kept:
            self._start(position.legal_moves(), self._look)
        self._root = moves
        self._counters[tree.STATE] = first_state(self._seed, len(moves) & 1, len(moves))
        self._counters[[tree.NEW, tree.OLD, tree.DEPTH]] = 0

    def _start(self, legal: tuple[int, ...], look: Look) -> None:
        tries = sum(1 << column for column in legal)
        if self._settings.forced:
            # With a win nothing else is expanded; else threats must be met, as far as they can.
            tries = look.wins or look.threats or tries
        self._tree[:FIRST_FREE] = (1 | 1 << 8, 0, 0, 0, 0, tries)
        self._counters[tree.USED] = FIRST_FREE
        self._counters[tree.NODES] = 1

    def _keep(self, moves: tuple[int, ...]) -> bool:
        root = self._root
        if root is None or moves[: len(root)] != root:
            return False
        at, k = ROOT, 1
        for column in moves[len(root) :]:
            at, k = find_child(self._tree, at, k, column)
            if not at:
                return False
        # An end node has no children to choose from.
        if int(self._tree[at + 3 * k]) >> OUTCOME & 3 and not self._tree[at + 2 * k]:
            return False
        if at != ROOT:
            used, nodes = keep_below(self._tree, int(self._counters[tree.USED]), at, k)
            self._counters[tree.USED] = used
            self._counters[tree.NODES] = nodes
        return True

    # --- the answer -------------------------------------------------------------------------

    def _siblings(self, at: int, k: int) -> int:
        return int(self._tree[int(self._tree[at + 2 * k]) - HEAD]) & 255

    def _children(self, at: int, k: int) -> list[tuple[int, int]]:
        first = int(self._tree[at + 2 * k])
        if not first:
            return []
        head = int(self._tree[first - HEAD])
        return [(child, head & 255) for child in range(first, first + (head >> 8))]

    def _candidate(self, at: int, k: int) -> Candidate:
        visits, score, meta = (int(self._tree[at + field * k]) for field in (0, 1, 3))
        outcome = meta >> OUTCOME & 3
        mean = {WON: 1.0, DRAWN: 0.5, LOST: 0.0}.get(outcome)
        if mean is None:
            mean = score / (2 * visits) if visits else 0.5
        return Candidate(meta >> 12 & 15, mean, visits, outcome, meta >> DISTANCE & 255)

    def _answer(self) -> Choice:
        places = {}
        for at, k in self._children(ROOT, 1):
            places[self._candidate(at, k)] = (at, k)
        columns = self._board.columns
        if self._settings.distances:
            best = best_proven(list(places), columns)
        else:
            best = best_mean(list(places), columns, self._look.threats)
        proven = best.outcome if self._solved() or best.outcome == WON else OPEN
        exact = self._settings.distances or (best.outcome == WON and best.distance == 0)
        info = Info(
            simulations=int(self._counters[tree.NEW]),
            solved_visits=int(self._counters[tree.OLD]),
            depth=int(self._counters[tree.DEPTH]),
            value=2 * best.mean - 1,
            pv=self._variation(*places[best]),
            tree=int(self._counters[tree.NODES]),
            proven=OUTCOMES.get(proven),
            distance=best.distance + 1 if exact and proven in (WON, LOST) else None,
        )
        return Choice(best.column, info)

    def _variation(self, at: int, k: int) -> tuple[int, ...]:
        columns = [self._candidate(at, k).column]
        while len(columns) < PV_PLIES and (children := self._children(at, k)):
            at, k = max(children, key=lambda child: int(self._tree[child[0]]))
            columns.append(self._candidate(at, k).column)
        return tuple(columns)


def flags_of(settings: Settings) -> int:
    """The kernel's switches."""
    return (
        tree.SOLVE * settings.solve
        + tree.FORCED * settings.forced
        + tree.RIGHT_DISTANCES * settings.right_distances
        + tree.URGENT * settings.urgent
    )
