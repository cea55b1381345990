"""A person's game against a bot, which runs in its own process as in every other game.

The caller makes the person's moves (`drop`, `undo`, `hint`, `column_values`) and calls `reply` when
it is the bot's turn. Nothing here reads a keyboard or prints.
"""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import NamedTuple, Self

import msgspec

from bots.protocol import GameOver, Info, MoveAsk, Resign
from db.records import thought_blob
from db.records.games import GameRecord, NewPlay, SideSums, Thought
from db.records.pairs import Entrant
from db.store import Store
from engine.board import Board
from engine.board_class import BoardClass
from engine.errors import IllegalMove
from engine.position import Position
from engine.result import Result, Termination
from ladder.errors import BotFailure, UsageError
from ladder.match.game.asking import (
    SideClock,
    begin_game,
    illegal_move_error,
    make_thought,
)
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.endings import GameEnd
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.sandbox import Confinement
from ladder.registry.entrants import make_entrants, refuse_short_time
from ladder.registry.specs.board_support import can_play, describe_boards, propose_boards
from ladder.registry.specs.start_command import compile_players
from ladder.results.analysis.game import Effort, Solvers
from ladder.results.analysis.verdict import Columns, solve_columns
from ladder.runs.budgets import Budgets
from ladder.search_watch import SearchWatch
from ladder.signals import current_stop

MOST_NODES = 50_000_000
"""Node limit of a position, some ten seconds. The standard board needs less: its first plies are in
the solver's book."""


MARGIN_MS = 1000
"""How late a bot may be under a time budget: generous, as these games are not rated."""


def prepare_entrant(store: Store, name: str, board: Board, budgets: Budgets) -> Entrant:
    """Return a registered bot for this board and budget, with its kernels compiled.

    Raises:
        UnknownRow: no bot has the name.
        UsageError: the bot is retired, cannot play, or does not support the board or the budget.
        SpecError: a program of the bot is gone.

    """
    bot = store.bots.get(name)
    if bot.retired_at is not None:
        raise UsageError(bot.absence)
    if not can_play(bot.revision.boards, board):
        raise UsageError(
            f"{name} does not play on {board}, only on {describe_boards(bot.revision.boards)}: "
            f"choose {propose_boards(bot.revision.boards)}"
        )
    refuse_short_time(bot, budgets.share_ms(name, [BoardClass(board)]))
    found = make_entrants(store, [bot], lambda each: budgets.for_bot(name, each.revision.budgets))
    compile_players(found.values())
    return found[name]


class BotMove(NamedTuple):
    """A bot's move in a position, with its time and the search statistics it reported."""

    name: str
    column: int
    elapsed_us: int
    info: Info | None


class BotResignation(NamedTuple):
    """A bot that gives the game up instead of making a move."""

    name: str


class BotSession:
    """One bot's process during a game; it is asked for moves, or only for hints."""

    def __init__(self, entrant: Entrant, *, board: Board, seed: int, pool: BotPool) -> None:
        self.entrant = entrant
        self._board = board
        self._seed = seed
        self._pool = pool
        self._process: BotProcess | None = None
        self._is_cancelled = False
        clock = SideClock(entrant.budget, board.cells, margin_ms=MARGIN_MS)
        self._limit_s = clock.limit_us / 1e6

    def ask(self, position: Position) -> BotMove | BotResignation:
        """Return the bot's move in a position.

        Raises:
            BotFailure: the bot failed; its process is gone, and the next question starts another.

        """
        process = self.start(position.to_move)
        try:
            question = MoveAsk(position.ply, position.moves)
            reply, own_us, *_ = process.ask_move(question, self._limit_s)
            if isinstance(reply, Resign):
                return BotResignation(self.entrant.name)
            try:
                position.play(reply.column)
            except IllegalMove as error:
                raise illegal_move_error(position, reply.column) from error
        except BaseException:
            self.close()
            raise
        return BotMove(self.entrant.name, reply.column, own_us, reply.info)

    def start(self, side: int) -> BotProcess:
        """Start the bot's process and its game before its first move is needed.

        Raises:
            BotFailure: the bot does not start.

        """
        if self._process is None:
            self._process = self._pool.acquire(self.entrant.start)
            if self._is_cancelled:  # while the process started
                self._process.supervisor.request_end()
            board, seed = self._board, self._seed
            try:
                begin_game(self._process, self.entrant, board, game="play", side=side, seed=seed)
            except BaseException:
                self.close()
                raise
        return self._process

    def end_game(self, verdict: GameEnd | None = None) -> None:
        """End the bot's game; the next question begins a new one.

        A bot may keep its search tree between moves and need not expect undone moves, so a position
        that does not follow from the last one begins a new game.
        """
        process, self._process = self._process, None
        if process is None:
            return
        verdict = verdict or GameEnd(Result.DRAW, Termination.ABORTED)
        process.send(GameOver(verdict.result.value, verdict.termination.value))
        renew = self.entrant.should_restart(pair_ended=True)
        self._pool.release(self.entrant.start, process, renew=renew)

    def cancel(self) -> None:
        """End the process and start no other; may be called from any thread."""
        self._is_cancelled = True
        process = self._process
        if process is not None:
            process.supervisor.request_end()

    def close(self) -> None:
        """Kill the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()


class InteractiveGame:
    """One game of a person against a bot; a context manager that leaves no process behind.

    Attributes:
        position: the current position.
        person: the person's side; 0 moves first.
        start_plies: the number of moves before the game began.
        thoughts: one per move, including those before the game began.
        verdict: how the game ended; None while it lasts.
        last_reply: the bot's last move; None before its first move and after `undo`.

    """

    def __init__(
        self,
        bot: Entrant,
        confinement: Confinement,
        *,
        board: Board,
        person: int,
        seed: int,
        start: Sequence[int] = (),
    ) -> None:
        """Set the game up; no bot is started yet.

        Args:
            bot: the opponent.
            confinement: the limits and the sandbox of all bots.
            board: the board.
            person: the person's side.
            seed: the seed for the bots, below 2**53.
            start: the columns played before the game begins; `undo` does not take them back.

        Raises:
            IllegalMove: `start` cannot be played on the board.
            UsageError: the game is already over after `start`.

        """
        self.bot = bot
        self.person = person
        self.position = Position.from_moves(board, tuple(start))
        if self.position.is_over:
            raise UsageError("the game is over in this position: start from an earlier ply")
        self.start_plies = len(start)
        self.thoughts: list[Thought] = [Thought(0) for _ in start]
        self.verdict: GameEnd | None = None
        self.last_reply: BotMove | None = None
        self._seed = seed
        self._pool = BotPool(confinement)
        self._opponent = self._session(bot)
        self._advisers: dict[str, BotSession] = {}
        self._solvers = Solvers()
        self._is_abandoned = False
        self._started = time.time()
        self._clock = self._turn = time.perf_counter_ns()
        self._ended = 0

    def _session(self, entrant: Entrant) -> BotSession:
        return BotSession(entrant, board=self.position.board, seed=self._seed, pool=self._pool)

    @property
    def is_persons_turn(self) -> bool:
        """Whether the game waits for the person."""
        return self.verdict is None and self.position.to_move == self.person

    @property
    def is_bots_turn(self) -> bool:
        """Whether the game waits for the bot."""
        return self.verdict is None and self.position.to_move != self.person

    def prepare(self) -> None:
        """Start the bot; a failure forfeits the game."""
        try:
            self._opponent.start(1 - self.person)
        except BotFailure as failure:
            self._forfeit(failure)

    def drop(self, column: int) -> None:
        """Make the person's move.

        Raises:
            IllegalMove: the column is full or not on the board.

        """
        after = self.position.play(column)
        elapsed_us = (time.perf_counter_ns() - self._turn) // 1000
        self._append_move(after, Thought(elapsed_us))

    def reply(self) -> None:
        """Make the bot's move; a failure forfeits the game."""
        try:
            move = self._opponent.ask(self.position)
        except BotFailure as failure:
            self._forfeit(failure)
            return
        if isinstance(move, BotResignation):
            self._end(GameEnd.by_resignation(1 - self.person))
            return
        self.last_reply = move
        self._append_move(self.position.play(move.column), make_thought(move.elapsed_us, move.info))

    def undo(self) -> bool:
        """Take back the person's last move and the bot's reply; return False without one."""
        plies = range(self.start_plies, self.position.ply)
        mine = [ply for ply in plies if ply % 2 == self.person]
        if not mine:
            return False
        self.position = Position.from_moves(self.position.board, self.position.moves[: mine[-1]])
        del self.thoughts[mine[-1] :]
        self.verdict = self.last_reply = None
        self._opponent.end_game()
        self._turn = time.perf_counter_ns()
        return True

    def hint(self, entrant: Entrant) -> BotMove | BotResignation:
        """Ask another bot for its move in the current position.

        Raises:
            BotFailure: that bot failed; this game is not affected.

        """
        adviser = self._advisers.setdefault(entrant.name, self._session(entrant))
        if self._is_abandoned:
            adviser.cancel()
        move = adviser.ask(self.position)
        adviser.end_game()
        return move

    def column_values(self) -> Columns:
        """Return what the solver proves about every column before the next move.

        Raises:
            Stopped: the user stopped the command.

        """
        stop = current_stop()
        position = self.position
        solver = self._solvers.on(position.board)
        nodes = min(Effort().at(position), MOST_NODES)
        watch = SearchWatch([solver], lambda: self._is_abandoned or stop.is_requested())
        found = watch.wait(lambda: solve_columns(solver, position, nodes, most_for_distance=nodes))
        stop.check()
        return found

    def abandon(self) -> None:
        """End all bots and searches; called from another thread than the game's.

        The call that waits for a bot then fails; a bot that is starting fails once it has started.
        """
        self._is_abandoned = True
        for session in (self._opponent, *list(self._advisers.values())):
            session.cancel()

    def record(self) -> NewPlay:
        """Return the finished game in the form in which it is stored.

        Raises:
            ValueError: the game is not over.

        """
        if self.verdict is None:
            raise ValueError("the game is not over")
        budget = msgspec.to_builtins(self.bot.budget)
        return NewPlay(
            revision=self.bot.revision,
            bot_side=1 - self.person,
            board=str(self.position.board),
            budget=budget,
            opening_plies=self.start_plies,
            seed=self._seed,
            game=GameRecord(
                swapped=False,
                moves=self.position.moves,
                result=self.verdict.result,
                termination=self.verdict.termination,
                sides=(SideSums(), SideSums()),  # no report reads those of unrated games
                thoughts=thought_blob.encode(self.thoughts[self.start_plies :]),
                started=self._started,
                duration_us=(self._ended - self._clock) // 1000,
                detail=self.verdict.detail,
            ),
        )

    def _append_move(self, after: Position, thought: Thought) -> None:
        self.position = after
        self.thoughts.append(thought)
        self._turn = time.perf_counter_ns()
        if after.is_over:
            self._end(GameEnd.on_board(after))

    def _forfeit(self, failure: BotFailure) -> None:
        self._end(GameEnd.by_failure(1 - self.person, failure))

    def _end(self, verdict: GameEnd) -> None:
        self.verdict = verdict
        self._ended = time.perf_counter_ns()
        self._opponent.end_game(verdict)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for session in (self._opponent, *self._advisers.values()):
            session.close()
        self._pool.close()
