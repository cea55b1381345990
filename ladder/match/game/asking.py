"""The questions of a game, the deadlines of their answers, and the stored record of a move."""

from collections.abc import Sequence
from itertools import takewhile

import msgspec

from bots.budget import RemainingTime
from bots.game_clock import GameClock, moves_left
from bots.protocol import MARGIN_MS, READY_S, WATCHDOG_S, Budget, Info, MoveAsk, NewGame
from db.records.games import LINE_PLIES, Thought
from db.records.pairs import Entrant
from engine.board import Board
from engine.layout import MAX_SIDE
from engine.position import Position, format_moves
from ladder.errors import BotIllegalMove, BotTimeout
from ladder.match.process.bot_process import BotProcess, MoveAnswer

COMPILING_S = 600.0
"""Deadline of a built-in player's answer to a new game outside of rated games, in seconds."""
COLUMNS = range(MAX_SIDE)


def make_new_game(entrant: Entrant, board: Board, *, game: str, side: int, seed: int) -> NewGame:
    """Return the question that begins a game for one side.

    Args:
        entrant: the bot; the host of built-in players becomes its player.
        board: the board of the game.
        game: a name for the game, for the bot's own logs.
        side: 0 if the bot moves first, 1 if it moves second.
        seed: random seed of the pair, below 2**53.

    """
    return NewGame(
        game=game,
        rows=board.rows,
        columns=board.columns,
        forbidden=board.forbidden,
        side=side,
        seed=seed,
        budget=known_budget(entrant, board),
        player=msgspec.UNSET if entrant.player is None else entrant.player,
    )


def begin_game(
    process: BotProcess, entrant: Entrant, board: Board, *, game: str, side: int, seed: int
) -> None:
    """Begin a game for one side (`make_new_game`). Raises what `BotProcess.new_game` raises."""
    question = make_new_game(entrant, board, game=game, side=side, seed=seed)
    process.new_game(question, ready_limit_s(entrant))


def known_budget(entrant: Entrant, board: Board) -> Budget:
    """Return the budget in the terms of the bot.

    A bot that knows no clock is given the time per move that it can take for a whole game.
    """
    clock = GameClock.of(entrant.budget)
    if clock is None or entrant.budget.clock is None or entrant.knows_clock:
        return entrant.budget
    return Budget(time_ms=clock.share_ms(moves_left(board.cells, 0)))


def ready_limit_s(entrant: Entrant) -> float:
    """Return the deadline of the answer to a new game.

    A built-in player may have to load or compile its kernels on a busy machine. A foreign bot has
    the time of the protocol.
    """
    return READY_S if entrant.player is None else COMPILING_S


class SideClock:
    """One side's time: the deadline of each of its moves, and what it has left."""

    def __init__(
        self,
        budget: Budget,
        cells: int,
        *,
        margin_ms: int = MARGIN_MS,
        watchdog_s: float = WATCHDOG_S,
    ) -> None:
        """Start the clock.

        Args:
            budget: the side's budget.
            cells: cells of the board, which limit the moves to come.
            margin_ms: how late a move may be under a time budget.
            watchdog_s: time of a move under a work budget.

        """
        self._time = GameClock.of(budget)
        self._has_bank = budget.has_bank
        self._cells = cells
        self._margin_us = 1000 * margin_ms
        self._watchdog_us = int(watchdog_s * 1e6)

    @property
    def limit_us(self) -> int:
        """The deadline of the next move: its time and the margin, or else the watchdog's time."""
        return self._watchdog_us if self._time is None else self._time.left_us + self._margin_us

    @property
    def bank_us(self) -> int | None:
        """What is left of a clock or overage; None if the side has neither."""
        return self._time.bank_us if self._has_bank and self._time is not None else None

    def question(self, moves: Sequence[int], theirs_us: int | None) -> MoveAsk:
        """Return the question for a move (see `ask`)."""
        time = self._time
        clock: RemainingTime | msgspec.UnsetType = msgspec.UNSET
        if time is not None and self._has_bank:
            clock = RemainingTime(
                yours_ms=time.bank_us // 1000,
                theirs_ms=(theirs_us or 0) // 1000,
                move_ms=time.share_ms(moves_left(self._cells, len(moves))),
                increment_ms=time.increment_us // 1000,
                time_ms=time.move_us // 1000,
            )
        return MoveAsk(len(moves), tuple(moves), clock)

    def spend(self, own_us: int) -> None:
        """Charge the own time of a move."""
        if self._time is not None:
            self._time.spend(own_us)

    def ask(self, process: BotProcess, moves: Sequence[int], theirs_us: int | None) -> MoveAnswer:
        """Ask for a move, and charge its time. Raises what `BotProcess.ask_move` raises.

        Args:
            process: the side's process.
            moves: the columns so far.
            theirs_us: what is left of the opponent's clock or overage.

        """
        question, time = self.question(moves, theirs_us), self._time
        limit_s = self.limit_us / 1e6
        try:
            answer = process.ask_move(question, limit_s, is_charged=time is not None)
        except BotTimeout as late:
            if self._has_bank:
                late.args = (f"{late}; this was all that was left of its time for the game",)
            raise
        if time is not None:
            time.spend(answer.own_us)
        return answer


def make_thought(own_us: int, info: Info | None, cpu_us: int | None = None) -> Thought:
    """Return the stored record of a move: its own time and the bot's report."""
    if info is None:
        return Thought(own_us, cpu_us=cpu_us)
    return Thought(
        own_us,
        info.value,
        info.simulations,
        info.depth,
        info.proven,
        cpu_us,
        line=expected_line(info.pv) if info.pv else "",
        nodes=info.nodes,
        distance=None if info.proven is None else info.distance,
    )


def expected_line(pv: Sequence[int]) -> str:
    """Return the stored part of a bot's expected line: the columns after its own move.

    A foreign bot may report any numbers; the line ends before the first that is not a column.
    """
    return format_moves(takewhile(COLUMNS.__contains__, pv[1 : LINE_PLIES + 1]))


def illegal_move_error(position: Position, column: int) -> BotIllegalMove:
    """Return the failure of a bot that plays an illegal column."""
    legal = ", ".join(str(column) for column in position.legal_moves())
    return BotIllegalMove(
        f"played column {column} at ply {position.ply} of "
        f"'{position.notation()}': legal columns were {legal}"
    )
