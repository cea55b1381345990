"""Measures the players: one long first move each, alone on the machine, in a process of its own."""

import fnmatch
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bots.catalogue import VERSIONS
from bots.protocol import Budget, MoveAsk, MoveReply
from engine.board import Board
from ladder.errors import UsageError
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.new_game import make_new_game, ready_limit_s
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.confinement import BUILT_IN_ONLY
from ladder.match.specs.start_command import builtin_launch, make_entrant, make_start

OVERTIME_S = 10.0
"""How much longer than asked a move may take before the measurement is given up."""
LONGEST_MS = 3_600_000
"""How long a search to a depth may take."""
WARM_MS = 50
"""A first short game, so that caches and clocks of the machine are awake."""


@dataclass(frozen=True, slots=True)
class SearchSpeed:
    """One player's first move on an empty board."""

    bot: str
    board: Board
    per_second: float | None
    """New simulations, or nodes for players that count those, by the harness's clock; None for a
    player that tells neither."""
    unit: str
    """``simulations`` or ``nodes``."""
    tree: int | None
    """Nodes held at the end."""


def choose_players(patterns: Iterable[str]) -> list[str]:
    """The built-in players that names and shell patterns select, in the catalogue's order.

    Raises:
        UsageError: a pattern selects none.

    """
    chosen: set[str] = set()
    for pattern in patterns:
        names = [
            name
            for name, version in VERSIONS.items()
            if fnmatch.fnmatchcase(name, pattern) and not version.hidden
        ]
        if not names:
            known = ", ".join(name for name, version in VERSIONS.items() if not version.hidden)
            raise UsageError(f"--bots: no built-in player is called {pattern!r}: there are {known}")
        chosen.update(names)
    return [name for name in VERSIONS if name in chosen]


def bench_search(
    players: Sequence[str], boards: Sequence[Board], *, seconds: float
) -> Iterator[SearchSpeed]:
    """Measure each player on each board, one after the other.

    Args:
        players: built-in players.
        boards: on their empty positions.
        seconds: wall time of the measured move; players that search plies look as deep as takes
            about so long.

    Raises:
        BotFailure: a player failed.

    """
    for player in players:
        for board in boards:
            yield _measure(player, board, seconds)


def _measure(player: str, board: Board, seconds: float) -> SearchSpeed:
    pool = BotPool(BUILT_IN_ONLY)
    try:
        process = pool.acquire(make_start(builtin_launch(player)))
        _first_move(process, player, board, Budget(time_ms=WARM_MS))
        if "depth" in VERSIONS[player].budgets:
            reply, elapsed_us = _deep_move(process, player, board, seconds)
        else:
            budget = Budget(time_ms=round(1000 * seconds))
            reply, elapsed_us = _first_move(process, player, board, budget)
        process.kill()
    finally:
        pool.close()
    info = reply.info
    nodes = None if info is None else info.nodes
    work = nodes if info is None or info.simulations is None else info.simulations
    return SearchSpeed(
        bot=player,
        board=board,
        per_second=None if work is None else work / elapsed_us * 1e6,
        unit="simulations" if nodes is None else "nodes",
        tree=None if info is None else info.tree,
    )


def _deep_move(
    process: BotProcess, player: str, board: Board, seconds: float
) -> tuple[MoveReply, int]:
    """The first search, each one ply deeper than the last, that takes most of the time.

    A player with a fixed depth ends a timed move long before its time, so what it does in a second
    shows only where it looks deeper than it would.
    """
    for depth in range(4, board.cells + 1):
        reply, elapsed_us = _first_move(process, player, board, Budget(depth=depth))
        # Another ply would cost three to six times as much.
        if elapsed_us > 1e6 * seconds / 3:
            break
    return reply, elapsed_us


def _first_move(
    process: BotProcess, player: str, board: Board, budget: Budget
) -> tuple[MoveReply, int]:
    """A new game's first move, and the microseconds that it took."""
    entrant = make_entrant(builtin_launch(player), revision=0, name=player, budget=budget)
    question = make_new_game(entrant, board, game="bench", side=0, seed=1)
    process.ask(question, timeout_s=ready_limit_s(entrant))
    limit_s = (budget.time_ms or LONGEST_MS) / 1000 + OVERTIME_S
    reply, elapsed_us = process.ask(MoveAsk(ply=0, moves=()), timeout_s=limit_s)
    assert isinstance(reply, MoveReply)  # noqa: S101 - `ask` lets no other answer through
    return reply, elapsed_us
