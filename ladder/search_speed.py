"""Measures the players: one long first move each, alone on the machine, in a process of its own."""

import fnmatch
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bots.catalogue import VERSIONS
from bots.protocol import Budget, MoveAsk, MoveReply, NewGame
from engine.board import Board
from ladder.botpool import BotPool
from ladder.errors import UsageError
from ladder.hosting import host_launch
from ladder.referee import READY_S

OVERTIME_S = 10.0
"""How much longer than asked a move may take before the measurement is given up."""
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

    def document(self) -> dict[str, object]:
        """What `--json` prints."""
        rate = None if self.per_second is None else round(self.per_second, 1)
        return {
            "bot": self.bot,
            "board": str(self.board),
            "simulations_per_second": rate,
            "unit": self.unit,
            "tree": self.tree,
        }


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
        seconds: wall time of the measured move.

    Raises:
        BotFailure: a player failed.

    """
    for player in players:
        for board in boards:
            yield _measure(player, board, seconds)


def _measure(player: str, board: Board, seconds: float) -> SearchSpeed:
    pool = BotPool()
    launch = host_launch(player)
    try:
        process = pool.acquire(launch)
        for time_ms in (WARM_MS, round(1000 * seconds)):
            game = NewGame(
                game="bench",
                rows=board.rows,
                columns=board.columns,
                forbidden=board.forbidden,
                side=0,
                seed=1,
                budget=Budget(time_ms=time_ms),
                player=player,
            )
            process.ask(game, timeout_s=READY_S)
            limit_s = time_ms / 1000 + OVERTIME_S
            reply, elapsed_us = process.ask(MoveAsk(ply=0, moves=()), timeout_s=limit_s)
        process.kill()
    finally:
        pool.close()
    assert isinstance(reply, MoveReply)  # noqa: S101 - `ask` lets no other answer through
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
