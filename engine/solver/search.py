"""The null-window search, which decides whether the score of a position reaches a bound.

**Scores.** With `total` cells on the board and the winner's last stone the `end`-th of the game,
the winner's score is (total + 2 - end) // 2 and the loser's the negative of that; a draw is 0.
A score depends only on the end of the game, so it does not change with the ply of the position. It
determines the distance, because a side plays every other stone.

**Threads** search the same position with one table. In nodes with many free cells each takes
children that no other thread searches, except the first, which often decides the node; and it
leaves a node as soon as another thread has decided it or one above it. This is a simple form of
ABDADA (Weill, 1996).

**Nodes.** In a node the mover has no immediate win, no move is forced, and several moves do not
lose at once; `settle` plays all other positions without a node.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from engine.compiled import inlined
from engine.lanes import WordArray
from engine.solver.bounds import bounds_on
from engine.solver.forced import DRAWN, LOST, settle_on
from engine.solver.key import key_on
from engine.solver.memory import (
    BEST,
    BETA,
    CHILD_HIGH,
    CHILD_LINE,
    CHILD_LOW,
    CHILD_PLY,
    CHILDREN,
    HIGH,
    KEY,
    LINE,
    LOW,
    MOST_CHILDREN,
    MOVES,
    NEXT,
    NO_GUESS,
    NODES,
    ORDER,
    OTHER,
    OWN,
    PLY,
    SETS,
    SIGN,
    SLOT,
    Integers,
    SolverMemory,
    SolverQuestion,
)
from engine.solver.sharing import is_marked, mark, unmark

SOON = 3
"""Half the plies within which the first windows look for an end; the next windows double them."""
LARGE_CELLS = 64
"""On boards with more cells only the second windows double the plies; each further one adds two.
Otherwise the third would often use up the nodes of a limited search. Before each further pair of
windows the outcome is tried with as many nodes as were used so far."""
LEAST_TRY = 1000
"""Least nodes to try the outcome with."""
FAR = 1000
"""A number beyond all scores."""

# columns of the results
ANSWER_LOW, ANSWER_HIGH, ANSWER_NODES = range(3)


def search_on(layout: ModuleType, table: ModuleType) -> Callable[..., Any]:
    """Build the null-window search of one node.

    Args:
        layout: `engine.solver.word` or `engine.solver.lanes`.
        table: the table of the same layout.

    """
    load, store, without, any_cell = layout.load, layout.store, layout.without, layout.any_cell
    count, lowest, number_of = layout.count, layout.lowest, layout.number_of
    landing, threats, lines = layout.landing, layout.threats, layout.lines
    fours, begun_fours = layout.fours, layout.begun_fours
    mixed, line_of, fetch = table.mixed, table.line_of, table.fetch
    find, put, low_of, high_of = table.find, table.put, table.low_of, table.high_of
    settle, bounds, key_of = settle_on(layout), bounds_on(layout), key_on(layout)

    @inlined
    def narrowed(found: Any, child: Any) -> Any:
        """Return a child's bounds for its parent, narrowed by those of the table."""
        low, high = low_of(found), high_of(found)
        if child[SIGN]:
            low, high = -high, -low
        return max(low, child[CHILD_LOW]), min(high, child[CHILD_HIGH])

    @inlined
    def search(
        own: Any,
        other: Any,
        moves: Any,
        ply: int,
        beta: int,
        board: Any,
        memory: SolverMemory,
        question: SolverQuestion,
        nodes: int,
        limit: int,
    ) -> Any:
        """Search whether the score of a node is at least `beta`.

        The result is a bound on the score, a lower bound if it is at least `beta`, else an upper
        bound, and the nodes so far; `FAR` if these reached `limit` or the search was stopped.
        """
        _, sets, frames, child_sets, children, known, shape, journal, weights, marks, stop = memory
        total = question.total
        cells = board[2]
        near = np.int64(shape[0, 4])
        depth = 0
        store(sets, OWN, own)
        store(sets, OTHER, other)
        store(sets, MOVES, moves)
        frames[0, BETA] = beta
        frames[0, PLY] = ply
        is_far: Any = total - ply > near
        own_lines = lines(without(cells, other), board)
        other_lines = lines(without(cells, own), board)
        key = mixed(
            key_of(own, other, own_lines, other_lines, board, question, is_far),
            shape[0],
        )
        store(sets, KEY, key)
        frames[0, LINE] = line_of(key, shape[0 if is_far else 1])
        found = find(known, frames[0, LINE], key, shape[0 if is_far else 1])
        low, high = bounds(own, other, own_lines, other_lines, ply, beta, total, board)
        if found:
            low, high = max(low, low_of(found)), min(high, high_of(found))
        if low >= beta:
            return low, nodes
        if high < beta:
            return high, nodes
        frames[0, LOW], frames[0, HIGH] = low, high
        entering = True
        value: Any = np.int64(0)
        while True:
            frame = frames[depth]
            beta = frame[BETA]
            at = depth * SETS
            first = depth * MOST_CHILDREN
            if entering:
                if nodes >= limit or stop[0]:
                    for up in range(1, depth + 1):
                        unmark(marks, frames[up, LINE])
                    return np.int64(FAR), nodes
                nodes += 1
                frame[NODES] = nodes
                own, other = load(sets, at + OWN), load(sets, at + OTHER)
                moves = load(sets, at + MOVES)
                ply = frame[PLY]
                best = np.int64(-FAR)
                made = 0
                own_reach = without(cells, other)
                own_lines = lines(own_reach, board)
                parity = board[5] if (total - ply) & 1 == 0 else board[6]
                while any_cell(moves):
                    cell = lowest(moves)
                    moves = moves ^ cell
                    stones = own | cell
                    other_reach = without(cells, stones)
                    threatened = threats(stones, board) & without(other_reach, other)
                    state, then, mover, rest, safe = settle(
                        other, stones, threatened, ply + 1, board
                    )
                    flips = (then - ply) & 1
                    if state == LOST:
                        score = np.int64((total - then) // 2)
                        if not flips:
                            score = -score
                        best = max(best, score)
                    elif state == DRAWN:
                        best = max(best, np.int64(0))
                    else:
                        asked = 1 - beta if flips else beta
                        # a stone takes away fours of the other side only
                        mover_lines: Any = lines(other_reach, board)
                        rest_lines: Any = own_lines
                        if then > ply + 1:
                            mover_lines = lines(without(cells, rest), board)
                            rest_lines = lines(without(cells, mover), board)
                        low, high = bounds(
                            mover, rest, mover_lines, rest_lines, then, asked, total, board
                        )
                        if flips:
                            low, high = -high, -low
                        if high < beta or low >= beta:
                            best = max(best, np.int64(high if high < beta else low))
                        else:
                            slot = first + made
                            is_far = total - then > near
                            key = mixed(
                                key_of(
                                    mover,
                                    rest,
                                    mover_lines,
                                    rest_lines,
                                    board,
                                    question,
                                    is_far,
                                ),
                                shape[0],
                            )
                            line = line_of(key, shape[0 if is_far else 1])
                            fetch(known, line)
                            child = children[slot]
                            child[ORDER] = (
                                16 * count(threatened)
                                + 4 * count(threatened & landing(stones | other | board[3], board))
                                + 8 * count(threatened & parity)
                                + 4 * begun_fours(stones, own_reach, board)
                                - fours(other_reach, board)
                                - 10 * count(safe)
                                + weights[number_of(cell)]
                            )
                            child[SIGN] = flips
                            child[CHILD_PLY] = then
                            child[CHILD_LOW], child[CHILD_HIGH] = low, high
                            child[CHILD_LINE] = line
                            store(child_sets, slot * SETS + OWN, mover)
                            store(child_sets, slot * SETS + OTHER, rest)
                            store(child_sets, slot * SETS + MOVES, safe)
                            store(child_sets, slot * SETS + KEY, key)
                            made += 1
                    if best >= beta:
                        break
                kept = 0
                if best < beta:
                    for number in range(made):
                        slot = first + number
                        child = children[slot]
                        key = load(child_sets, slot * SETS + KEY)
                        found = find(
                            known,
                            child[CHILD_LINE],
                            key,
                            shape[0 if total - child[CHILD_PLY] > near else 1],
                        )
                        if found:
                            low, high = narrowed(found, child)
                            if low >= beta:
                                best = low
                                break
                            if high < beta:
                                best = max(best, high)
                                continue
                            child[CHILD_LOW], child[CHILD_HIGH] = low, high
                        # stable insertion sort
                        place = kept
                        while (
                            place > 0
                            and children[children[first + place - 1, SLOT], ORDER] < child[ORDER]
                        ):
                            children[first + place, SLOT] = children[first + place - 1, SLOT]
                            place -= 1
                        children[first + place, SLOT] = slot
                        kept += 1
                frame[CHILDREN] = kept
                frame[NEXT] = 0
                frame[BEST] = best
            else:
                child = children[children[first + frame[NEXT] - 1, SLOT]]
                if child[SIGN]:
                    value = -value
                frame[BEST] = max(frame[BEST], value)
                if total - frame[PLY] > question.split:
                    unmark(marks, child[CHILD_LINE])
            if total - frame[PLY] > question.split and frame[BEST] < beta:
                # another thread may have decided this node or one above it
                for up in range(depth + 1):
                    frame = frames[up]
                    found = find(
                        known,
                        frame[LINE],
                        load(sets, up * SETS + KEY),
                        shape[0 if total - frame[PLY] > near else 1],
                    )
                    beta = frame[BETA]
                    if found and (low_of(found) >= beta or high_of(found) < beta):
                        for left in range(up + 1, depth + 1):
                            unmark(marks, frames[left, LINE])
                        low, high = low_of(found), high_of(found)
                        frame[BEST] = low if low >= beta else high
                        frame[NEXT] = frame[CHILDREN]
                        depth, at, first = up, up * SETS, up * MOST_CHILDREN
                        break
                # and children
                kept, chosen = frame[NEXT], frame[CHILDREN]
                if kept > 0 and frame[BEST] < beta:
                    for number in range(frame[NEXT], frame[CHILDREN]):
                        slot = children[first + number, SLOT]
                        child = children[slot]
                        found = find(
                            known,
                            child[CHILD_LINE],
                            load(child_sets, slot * SETS + KEY),
                            shape[0 if total - child[CHILD_PLY] > near else 1],
                        )
                        if found:
                            low, high = narrowed(found, child)
                            child[CHILD_LOW], child[CHILD_HIGH] = low, high
                            if low >= beta or high < beta:
                                frame[BEST] = max(frame[BEST], low if low >= beta else high)
                                continue
                        if chosen > kept and not is_marked(marks, child[CHILD_LINE]):
                            chosen = kept
                        children[first + kept, SLOT] = slot
                        kept += 1
                    frame[CHILDREN] = kept
                    if chosen < kept:
                        slot = children[first + chosen, SLOT]
                        while chosen > frame[NEXT]:
                            children[first + chosen, SLOT] = children[first + chosen - 1, SLOT]
                            chosen -= 1
                        children[first + chosen, SLOT] = slot
            if frame[BEST] >= beta or frame[NEXT] == frame[CHILDREN]:
                value = frame[BEST]
                if frame[CHILDREN] > 0:
                    low, high = frame[LOW], frame[HIGH]
                    if value >= beta:
                        low = max(low, value)
                    else:
                        high = min(high, value)
                    key = load(sets, at + KEY)
                    put(
                        known,
                        frame[LINE],
                        key,
                        low,
                        high,
                        nodes - frame[NODES] + 1,
                        shape[0 if total - frame[PLY] > near else 1],
                        journal,
                    )
                if depth == 0:
                    return value, nodes
                depth -= 1
                entering = False
                continue
            slot = children[first + frame[NEXT], SLOT]
            frame[NEXT] += 1
            child = children[slot]
            if total - frame[PLY] > question.split:
                mark(marks, child[CHILD_LINE])
            depth += 1
            down = depth * SETS
            for row in range(SETS):
                store(sets, down + row, load(child_sets, slot * SETS + row))
            below_it = frames[depth]
            below_it[PLY] = child[CHILD_PLY]
            below_it[LINE] = child[CHILD_LINE]
            if child[SIGN]:
                below_it[BETA] = 1 - beta
                below_it[LOW], below_it[HIGH] = -child[CHILD_HIGH], -child[CHILD_LOW]
            else:
                below_it[BETA] = beta
                below_it[LOW], below_it[HIGH] = child[CHILD_LOW], child[CHILD_HIGH]
            entering = True

    return search


def solve_on(layout: ModuleType, table: ModuleType) -> Callable[..., None]:
    """Build the solver's kernel; see `search_on` for the arguments."""
    load, load_board, without = layout.load, layout.load_board, layout.without
    any_cell, count, landing, threats = (
        layout.any_cell,
        layout.count,
        layout.landing,
        layout.threats,
    )
    settle, search, clear_entries = settle_on(layout), search_on(layout, table), table.clear_entries

    @inlined
    def half_plies_of(window: int, total: int) -> Any:
        """Return half the plies of a window: 3, 6, 12, ...; on large boards 3, 6, 7, 8, ..."""
        if total > LARGE_CELLS and window > 1:
            return np.int64(2 * SOON + window - 1)
        return np.int64(SOON << window)

    @inlined
    def solve(
        stones: WordArray, memory: SolverMemory, question: SolverQuestion, answers: Integers
    ) -> None:
        """Bound the score of a position that is not over; see `engine.solver.solver`."""
        board = load_board(memory.constants)
        cells, forbidden, total = board[2], board[3], question.total
        own, other = load(stones, 0), load(stones, 1)
        ply = count(own) + count(other)
        free = without(cells, own | other)
        low: Any
        high: Any
        nodes: Any = np.int64(0)
        sign = np.int64(1)
        if any_cell(landing(own | other | forbidden, board) & cells & threats(own, board)):
            low = (total + 1 - ply) // 2
            high = low
        else:
            threatened = threats(other, board) & free
            state, then, mover, rest, moves = settle(own, other, threatened, ply, board)
            if (then - ply) & 1:
                sign = np.int64(-1)
            if state == LOST:
                low = -((total - then) // 2)
                high = low
            elif state == DRAWN:
                low = np.int64(0)
                high = np.int64(0)
            else:
                high = (total - 1 - then) // 2
                low = -((total - 2 - then) // 2)
                trials, tried, highest = 0, 2, high
                # the least score of a win within the horizon
                reach = (total + 2 - ply - question.horizon) // 2
                # from a likely score to ever farther ones, up or down
                guess: Any = sign * question.guess
                step = np.int64(1 if abs(guess) < NO_GUESS else 0)
                way = np.int64(0)
                while low < high and nodes < question.limit:
                    if question.is_weak and (low > 0 or high < 0):
                        break
                    if -reach < low and high < reach:
                        break
                    # first near ends, then the outcome, then the distance
                    beta: Any = np.int64(1 if low <= 0 < high else 0)
                    if low > 0 or high <= 0:
                        beta = low + (high - low) // 2 + 1
                    if low < 0 == high:
                        beta = np.int64(0)
                    is_guess = bool(step > 0)
                    if is_guess:
                        beta = min(max(guess, low + 1), high)
                    limit = question.limit
                    is_try = total > LARGE_CELLS and trials >> 1 >= tried and low <= 0 <= high
                    if is_try:
                        tried = (trials >> 1) + 1
                        limit = min(limit, nodes + max(nodes, LEAST_TRY))
                        # by turns whether it is a win and whether it is a loss
                        if low < 0 < high:
                            beta = np.int64(tried & 1)
                        is_guess = False
                    while not is_try and half_plies_of(trials >> 1, total) <= highest // 2:
                        near = half_plies_of(trials >> 1, total)
                        trial = highest - near if trials % 2 == 0 else near - highest
                        trials += 1
                        if low < trial <= high and (trial > 1 or trial < 0):
                            beta = np.int64(trial)
                            is_guess = False
                            break
                    if 1 - reach < beta < reach:
                        beta = np.int64(reach if high >= reach else 1 - reach)
                        is_guess = False
                    value, nodes = search(
                        mover, rest, moves, then, beta, board, memory, question, nodes, limit
                    )
                    if value == FAR:
                        if nodes >= question.limit or memory.stop[0]:
                            break
                        continue
                    turn = np.int64(1 if value >= beta else -1)
                    if value >= beta:
                        low = max(low, value)
                    else:
                        high = min(high, value)
                    if is_guess:
                        if way == turn:
                            step = 2 * step
                        elif way:
                            step = np.int64(0)
                        guess = low + step if turn > 0 else high + 1 - step
                        way = turn
        answers[ANSWER_NODES] = nodes
        answers[ANSWER_LOW] = low if sign > 0 else -high
        answers[ANSWER_HIGH] = high if sign > 0 else -low

    @inlined
    def solve_each(
        stones: WordArray, memory: SolverMemory, question: SolverQuestion, answers: Integers
    ) -> None:
        """Bound the scores of positions, one after another; see `engine.solver.solver`."""
        for number in range(max(1, len(stones))):
            if question.clears:
                clear_entries(memory.known, memory.journal)
            if number == len(stones):
                break
            solve(stones[number], memory, question, answers[number])

    return solve_each
