"""A person's game against a bot: the bot is a process of its own, as in every other game.

The person's side asks for what it wants (`drop`, `undo`, `hint`) and has the bot move (`reply`)
when it is the bot's turn. Nothing here reads a keyboard or prints.
"""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import NamedTuple, Self

import msgspec

from bots.protocol import WATCHDOG_S, GameOver, Info, MoveAsk, MoveReply
from db.records.games import NewHumanGame, Thought
from db.records.pairs import Entrant
from db.store import Store
from engine.board import Board
from engine.position import Position
from engine.result import Result, Termination
from ladder.errors import BotFailure, UsageError
from ladder.match.game.answers import make_thought, play_answer
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.ending import GameEnd, ending_on_board
from ladder.match.game.new_game import make_new_game, move_limit_us, ready_limit_s
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.confinement import Confinement
from ladder.match.registry.registered import (
    entrants,
    refuse_short_time,
)
from ladder.match.specs.board_support import (
    can_play,
    describe_boards,
    propose_boards,
)
from ladder.match.specs.compile import compile_entrants
from ladder.runs.budgets import Budgets

MARGIN_MS = 1000
"""How late a bot may be under a time budget: nothing is rated, and a person may have a slow day."""


def entrant_at_the_board(store: Store, name: str, board: Board, budgets: Budgets) -> Entrant:
    """A registered bot as it plays on this board and budget, its kernels compiled.

    Raises:
        UnknownRow: no bot has the name.
        UsageError: it is retired, has changed, or does not play that.
        SpecError: something that it is made of is gone.

    """
    bot = store.bots.get(name)
    if bot.retired_at is not None:
        raise UsageError(f"{name} is retired: `ladder bots list` shows who can play")
    if not can_play(bot.revision.boards, board):
        raise UsageError(
            f"{name} does not play {board}, but {describe_boards(bot.revision.boards)}: choose "
            f"{propose_boards(bot.revision.boards)}"
        )
    refuse_short_time([bot], budgets.amounts.get("time_ms"))
    found = entrants([bot], lambda each: budgets.for_bot(name, each.revision.budgets))
    compile_entrants(found.values())
    return found[name]


class Opinion(NamedTuple):
    """A bot's answer to a position, with its time and its own words about it."""

    name: str
    column: int
    elapsed_us: int
    info: Info | None


class Adviser:
    """One bot's process, asked about positions that follow each other or not."""

    def __init__(self, entrant: Entrant, *, board: Board, seed: int, pool: BotPool) -> None:
        self.entrant = entrant
        self._board = board
        self._seed = seed
        self._pool = pool
        self._process: BotProcess | None = None
        self._is_let_go = False
        limit_us = move_limit_us(entrant.budget, margin_ms=MARGIN_MS, watchdog_s=WATCHDOG_S)
        self._limit_s = limit_us / 1e6

    def ask(self, position: Position) -> Opinion:
        """The bot's opinion on a position: its move for the side to move.

        Raises:
            BotFailure: it failed; its process is gone, and the next question starts another.

        """
        try:
            process = self._process = self._process or self._begin(position.to_move)
            question = MoveAsk(position.ply, position.moves)
            reply, elapsed_us = process.ask(question, timeout_s=self._limit_s)
            assert isinstance(reply, MoveReply)  # noqa: S101 - `ask` lets no other answer through
            play_answer(position, reply.column)
        except BaseException:
            self.close()
            raise
        return Opinion(self.entrant.name, reply.column, elapsed_us, reply.info)

    def begin(self, side: int) -> None:
        """Have the bot ready for a game before its first move is wanted.

        Raises:
            BotFailure: it does not start.

        """
        try:
            self._process = self._process or self._begin(side)
        except BaseException:
            self.close()
            raise

    def _begin(self, side: int) -> BotProcess:
        process = self._process = self._pool.acquire(self.entrant.start)
        if self._is_let_go:  # while it started
            process.request_end()
        question = make_new_game(self.entrant, self._board, game="play", side=side, seed=self._seed)
        process.ask(question, timeout_s=ready_limit_s(self.entrant))
        return process

    def forget(self, verdict: GameEnd | None = None) -> None:
        """End the bot's game; the next question begins a new one.

        A bot may keep its search between moves and need not expect that moves are taken back, so
        a position that does not follow from the last one is the first of a new game.
        """
        process, self._process = self._process, None
        if process is None:
            return
        verdict = verdict or GameEnd(Result.DRAW, Termination.ABORTED)
        process.send(GameOver(verdict.result.value, verdict.termination.value))
        renew = self.entrant.should_restart(pair_ended=True)
        self._pool.release(self.entrant.start, process, renew=renew)

    def let_go(self) -> None:
        """Have the process end, whatever it is doing, and no other begin; from any thread."""
        self._is_let_go = True
        process = self._process
        if process is not None:
            process.request_end()

    def close(self) -> None:
        """End the process, whatever it is doing."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()


class InteractiveGame:
    """One game of a person against a bot; a context manager that leaves no process behind.

    Attributes:
        position: where the game stands.
        person: the side that the person plays, 0 moves first.
        start_plies: how many moves were made before the game began.
        thoughts: one for each move, those before the beginning included.
        verdict: how the game ended; None while it goes on.
        opinion: what the bot play_answer last; None before its first move and after `undo`.

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
        """The game before its first move.

        Args:
            bot: the opponent.
            confinement: the bounds of the opponent and of every bot that gives a hint.
            board: where it is played.
            person: the person's side.
            seed: of the bots, below 2**53.
            start: the columns of the position that it begins with; no move of them is taken back.

        Raises:
            IllegalMove: `start` cannot be played on the board.
            UsageError: the game is over there.

        """
        self.bot = bot
        self.person = person
        self.position = Position.from_moves(board, tuple(start))
        if self.position.is_over:
            raise UsageError("the game is over in this position: begin at an earlier ply")
        self.start_plies = len(start)
        self.thoughts: list[Thought] = [Thought(0) for _ in start]
        self.verdict: GameEnd | None = None
        self.opinion: Opinion | None = None
        self._seed = seed
        self._pool = BotPool(confinement)
        self._adviser = self._hire(bot)
        self._others: dict[str, Adviser] = {}
        self._is_abandoned = False
        self._started = time.time()
        self._clock = self._turn = time.perf_counter_ns()
        self._ended = 0

    def _hire(self, entrant: Entrant) -> Adviser:
        return Adviser(entrant, board=self.position.board, seed=self._seed, pool=self._pool)

    @property
    def persons_turn(self) -> bool:
        """Whether the game waits for the person."""
        return self.verdict is None and self.position.to_move == self.person

    @property
    def bots_turn(self) -> bool:
        """Whether the game waits for the bot."""
        return self.verdict is None and self.position.to_move != self.person

    def prepare(self) -> None:
        """Start the bot. A failure ends the game, as it does at a move."""
        try:
            self._adviser.begin(1 - self.person)
        except BotFailure as failure:
            self._forfeit(failure)

    def drop(self, column: int) -> None:
        """The person's move.

        Raises:
            IllegalMove: the column is full or off the board.

        """
        after = self.position.play(column)
        elapsed_us = (time.perf_counter_ns() - self._turn) // 1000
        self._moved(after, Thought(elapsed_us))

    def reply(self) -> None:
        """The bot's move. A failure of the bot ends the game with a verdict that says so."""
        try:
            opinion = self._adviser.ask(self.position)
        except BotFailure as failure:
            self._forfeit(failure)
            return
        self.opinion = opinion
        thought = make_thought(opinion.elapsed_us, opinion.info)
        self._moved(self.position.play(opinion.column), thought)

    def undo(self) -> bool:
        """Take back the person's last move and what the bot answered; False: there was none."""
        plies = range(self.start_plies, self.position.ply)
        mine = [ply for ply in plies if ply % 2 == self.person]
        if not mine:
            return False
        self.position = Position.from_moves(self.position.board, self.position.moves[: mine[-1]])
        del self.thoughts[mine[-1] :]
        self.verdict = self.opinion = None
        self._adviser.forget()
        self._turn = time.perf_counter_ns()
        return True

    def hint(self, entrant: Entrant) -> Opinion:
        """Another bot's opinion on the present position.

        Raises:
            BotFailure: that bot failed; the game goes on.

        """
        adviser = self._others.setdefault(entrant.name, self._hire(entrant))
        if self._is_abandoned:
            adviser.let_go()
        opinion = adviser.ask(self.position)
        adviser.forget()
        return opinion

    def abandon(self) -> None:
        """Have the bots end, whatever they are doing; from another thread than the game's.

        Whatever the game waits for then fails; a bot that is starting does when it has started.
        """
        self._is_abandoned = True
        for adviser in (self._adviser, *list(self._others.values())):
            adviser.let_go()

    def record(self) -> NewHumanGame:
        """The finished game, to be stored.

        Raises:
            ValueError: it goes on.

        """
        if self.verdict is None:
            raise ValueError("a game that goes on has no record")
        budget = msgspec.to_builtins(self.bot.budget)
        return NewHumanGame(
            revision=self.bot.revision,
            bot_side=1 - self.person,
            board=str(self.position.board),
            budget=budget,
            seed=self._seed,
            moves=self.position.moves,
            result=self.verdict.result,
            termination=self.verdict.termination,
            detail=self.verdict.detail,
            started_at=self._started,
            duration_us=(self._ended - self._clock) // 1000,
            thoughts=tuple(self.thoughts),
        )

    def _moved(self, after: Position, thought: Thought) -> None:
        self.position = after
        self.thoughts.append(thought)
        self._turn = time.perf_counter_ns()
        if after.is_over:
            self._end(ending_on_board(after))

    def _forfeit(self, failure: BotFailure) -> None:
        result = Result.WIN if self.person == 0 else Result.LOSS
        self._end(GameEnd(result, failure.termination, str(failure)))

    def _end(self, verdict: GameEnd) -> None:
        self.verdict = verdict
        self._ended = time.perf_counter_ns()
        self._adviser.forget(verdict)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for adviser in (self._adviser, *self._others.values()):
            adviser.close()
        self._pool.close()
