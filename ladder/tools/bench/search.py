"""Speed of the players: one long first move each, one player at a time, in its own process."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bots.catalogue import VERSIONS
from bots.protocol import Budget, MoveAsk, MoveReply, Resign
from engine.board import Board
from ladder.errors import LadderError
from ladder.match.game.asking import begin_game
from ladder.match.game.bot_pool import BotPool
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.sandbox import BUILT_IN_ONLY
from ladder.names import select_names
from ladder.registry.specs.start_command import builtin_launch, make_entrant, make_start

OVERTIME_S = 10.0
"""Time beyond the requested one after which a move is a timeout."""
LONGEST_MS = 3_600_000
"""Time limit of a search to a fixed depth."""
WARM_MS = 50
"""Time of an unmeasured first move, which fills caches and raises the processor's clock."""


@dataclass(frozen=True, slots=True)
class SearchSpeed:
    """The speed of a player's first move on an empty board."""

    bot: str
    board: Board
    per_second: float | None
    """New simulations (or nodes, see `unit`) per second by the harness's clock; None if the player
    reports neither."""
    unit: str
    """``simulations`` or ``nodes``."""
    tree: int | None
    """The size of the search tree after the move, in nodes."""


def choose_players(patterns: Iterable[str]) -> list[str]:
    """Return the built-in players that match names or shell patterns, in the catalogue's order.

    Raises:
        UsageError: a pattern matches no player.

    """
    known = [name for name, version in VERSIONS.items() if not version.hidden]
    lacking = "matches no built-in player"
    chosen = select_names(patterns, known, lacking, f"choose among {', '.join(known)}")
    return sorted(chosen, key=known.index)


def bench_search(
    players: Sequence[str], boards: Sequence[Board], *, seconds: float
) -> Iterator[SearchSpeed]:
    """Measure each player on each board, one after the other.

    Args:
        players: names of built-in players.
        boards: the boards, which are empty.
        seconds: wall time of the measured move; a player that searches to a depth gets the depth
            that takes about this time.

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
    """Search deeper and deeper, and return the first search that takes a third of the time.

    A player that stops at a fixed depth ends a timed move long before its time is over, so its
    speed shows only in a deeper search.
    """
    for depth in range(4, board.cells + 1):
        reply, elapsed_us = _first_move(process, player, board, Budget(depth=depth))
        # Another ply would take three to six times as long.
        if elapsed_us > 1e6 * seconds / 3:
            break
    return reply, elapsed_us


def _first_move(
    process: BotProcess, player: str, board: Board, budget: Budget
) -> tuple[MoveReply, int]:
    """Return the first move of a new game and its time in microseconds."""
    entrant = make_entrant(builtin_launch(player), revision=0, name=player, budget=budget)
    begin_game(process, entrant, board, game="bench", side=0, seed=1)
    limit_s = (budget.time_ms or LONGEST_MS) / 1000 + OVERTIME_S
    reply, own_us, *_ = process.ask_move(MoveAsk(ply=0, moves=()), limit_s)
    if isinstance(reply, Resign):
        raise LadderError(f"{player} resigned on the empty board: no player of the ladder resigns")
    return reply, own_us
