"""The referee: plays a pair or one game by the rules, and charges failures to their cause."""

import os
import time
from typing import TYPE_CHECKING, NamedTuple, Self, assert_never

from bots.protocol import GameOver, MoveReply, Resign
from db.records import thought_blob
from db.records.games import GameRecord, LastOutput, Proof, SideSums, Thought
from db.records.pairs import Entrant, PairPlan, PairRecord
from engine.board import parse_board
from engine.errors import IllegalMove
from engine.mutable_game import MutableGame
from engine.position import Position
from engine.result import Result, Termination
from ladder.errors import BotFailure, BotTimeout, MachineStalled
from ladder.match.game.asking import (
    SideClock,
    illegal_move_error,
    make_new_game,
    make_thought,
    ready_limit_s,
)
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.broadcast import BoardInPlay, Broadcaster
from ladder.match.process.bot_process import BotProcess

if TYPE_CHECKING:
    from ladder.match.game.adjudicator import Adjudicator

PAUSES_S = (0.05, 0.2, 0.8)
"""Pauses before a pair that the machine disturbed is played again, in seconds."""


class GameEnd(NamedTuple):
    """The end of a game."""

    result: Result
    """From the first player's side."""
    termination: Termination
    detail: str = ""
    """The reason for a forfeit, or the proof of an adjudicated game."""
    offender: int | None = None
    """Side that forfeited: 0 the first player, 1 the second."""

    @classmethod
    def on_board(cls, position: Position | MutableGame) -> Self:
        """Return the end of a game that is over on the board."""
        ending = position.ending
        assert ending is not None  # noqa: S101 - the caller has checked that the game is over
        return cls(*ending)

    @classmethod
    def by_proof(cls, proof: Proof) -> Self:
        """Return the end of a game whose result is proven."""
        return cls(proof.value, Termination.ADJUDICATED, proof.text)

    @classmethod
    def by_failure(cls, side: int, failure: BotFailure) -> Self:
        """Return the end of a game that a side forfeits."""
        return cls(_lost_by(side), failure.termination, str(failure), offender=side)

    @classmethod
    def by_resignation(cls, side: int) -> Self:
        """Return the end of a game that a side gives up."""
        return cls(_lost_by(side), Termination.RESIGNED)


def _lost_by(side: int) -> Result:
    return Result.WIN if side else Result.LOSS


class PairNotes:
    """Events of a pair besides its games."""

    def __init__(self) -> None:
        self.failed_starts: list[int] = []
        """Revisions of bots that could not be started or did not answer hello."""
        self.stalls: list[str] = []
        """Why the pair was played again, each time."""
        self.excused = 0
        """Late moves that counted, because the machine explains their delay."""


def play_pair(plan: PairPlan, pool: BotPool, broadcast: Broadcaster | None = None) -> PairRecord:
    """Play both games of a pair.

    If the machine delayed a move so long that no answer came, the pair is played again. If that
    happens too often, the record has no games but a reason.

    Args:
        plan: the pair.
        pool: the processes of bots.
        broadcast: receives each position, for live pages.

    """
    notes = PairNotes()
    games: tuple[GameRecord, ...] = ()
    while not games:
        try:
            first = _Game(plan, False, pool, notes, broadcast).play()
            games = (first, _Game(plan, True, pool, notes, broadcast).play())
        except MachineStalled as stall:
            notes.stalls.append(str(stall))
            if len(notes.stalls) > len(PAUSES_S):
                break
            time.sleep(PAUSES_S[len(notes.stalls) - 1])
    return PairRecord(
        plan.id,
        plan.number,
        games,
        aborts=len(notes.stalls) + notes.excused,
        abort_reason="" if games else notes.stalls[-1],
        failed_starts=tuple(notes.failed_starts),
    )


def play_game(plan: PairPlan, pool: BotPool, *, swapped: bool) -> GameRecord:
    """Play one game of a pair; A moves first unless `swapped`.

    Raises:
        MachineStalled: the machine delayed a move so long that no answer came.

    """
    return _Game(plan, swapped, pool, PairNotes()).play()


class _Side:
    """One side of the game."""

    __slots__ = ("clock", "entrant", "process", "unplayed_us")

    def __init__(self, entrant: Entrant, plan: PairPlan, cells: int) -> None:
        self.entrant = entrant
        self.process: BotProcess | None = None
        self.unplayed_us: int | None = None
        """Time of the move that never came, or of a resignation; None if there was none."""
        self.clock = SideClock(
            entrant.budget, cells, margin_ms=plan.margin_ms, watchdog_s=plan.watchdog_s
        )


class _Game:
    """One game from its start to its record."""

    def __init__(
        self,
        plan: PairPlan,
        swapped: bool,
        pool: BotPool,
        notes: PairNotes,
        broadcast: Broadcaster | None = None,
    ) -> None:
        self.broadcast = broadcast
        self.plan = plan
        self.swapped = swapped
        self.pool = pool
        self.notes = notes
        board = parse_board(plan.board)
        entrants = (plan.b, plan.a) if swapped else (plan.a, plan.b)
        self.sides = (
            _Side(entrants[0], plan, board.cells), _Side(entrants[1], plan, board.cells)
        )  # fmt: skip
        self.game = MutableGame(board, plan.opening)
        self.adjudicator = _make_adjudicator(plan)
        self.thoughts: list[Thought] = []
        """Records of the moves of both sides after the opening, in order."""
        self.last_output: LastOutput | None = None
        """The last output of a bot that failed."""

    def play(self) -> GameRecord:
        """Play the game.

        Raises:
            MachineStalled: the machine delayed a bot so long that no answer came.

        """
        started = time.time()
        clock = time.perf_counter_ns()
        try:
            end = self._play_to_end()
            self._show(end)
            self._finish(end)
        finally:
            # A process that is still here was interrupted in the middle of the game.
            for side in self.sides:
                if side.process is not None:
                    side.process.kill()
                    side.process = None
        return GameRecord(
            swapped=self.swapped,
            moves=tuple(self.game.moves),
            result=end.result,
            termination=end.termination,
            sides=(self._sum(0), self._sum(1)),
            thoughts=thought_blob.encode(self.thoughts),
            started=started,
            duration_us=(time.perf_counter_ns() - clock) // 1000,
            detail=end.detail,
            last_output=self.last_output,
        )

    def _play_to_end(self) -> GameEnd:
        """Play until the game ends on the board, by a proof, or by a side that fails or resigns."""
        index = 0
        game = self.game
        try:
            for index in (0, 1):
                self._prepare(index)
            self.pool.pause_idle()
            while not game.is_over:
                index = len(game.moves) & 1
                if not self._move(index):
                    return GameEnd.by_resignation(index)
                self._show()
                if self.adjudicator is not None and not game.is_over:
                    proof = self.adjudicator.find_proof(game.position(), self.thoughts[-1])
                    if proof is not None:
                        return GameEnd.by_proof(proof)
        except BotFailure as failure:
            self.last_output = failure.last_output
            return GameEnd.by_failure(index, failure)
        return GameEnd.on_board(game)

    def _show(self, end: GameEnd | None = None) -> None:
        """Send the position to live pages if it is due."""
        if self.broadcast is None or not self.broadcast.is_due(is_end=end is not None):
            return
        first, second = self.sides
        last = [(self._thoughts(index) or [Thought(0)])[-1] for index in (0, 1)]
        board = BoardInPlay(
            worker=os.getpid(),
            pair=self.plan.id,
            game=int(self.swapped),
            board=self.plan.board,
            names=(first.entrant.name, second.entrant.name),
            opening=len(self.plan.opening),
            moves=tuple(self.game.moves),
            values=(last[0].value, last[1].value),
            last_us=(last[0].time_us, last[1].time_us),
            time_us=(self._sum(0).time_us, self._sum(1).time_us),
            time_ms=(first.entrant.budget.time_ms, second.entrant.budget.time_ms),
            result=None if end is None else end.result,
            termination=None if end is None else end.termination,
            left_us=(first.clock.bank_us, second.clock.bank_us),
        )
        self.broadcast.send(board)

    def _prepare(self, index: int) -> None:
        """Get a process of one side ready for this game. Raises BotFailure."""
        side = self.sides[index]
        entrant = side.entrant
        try:
            side.process = self.pool.acquire(entrant.start, entrant.name)
        except BotFailure:
            self.notes.failed_starts.append(entrant.revision)
            raise
        name = f"{self.plan.id}-{int(self.swapped)}"
        question = make_new_game(
            entrant, self.game.board, game=name, side=index, seed=self.plan.seed
        )
        side.process.ask(question, timeout_s=ready_limit_s(entrant))
        side.process.begin_game()

    def _move(self, index: int) -> bool:
        """Ask a side for its move, record it and play it; return False if it resigns.

        Raises:
            BotFailure: the side failed.
            MachineStalled: the machine delayed it so long that no answer came.

        """
        game, side = self.game, self.sides[index]
        process = side.process
        assert process is not None  # noqa: S101 - prepared before the first move
        limit_us = side.clock.limit_us
        try:
            answer = side.clock.ask(process, game.moves, self.sides[1 - index].clock.bank_us)
        except BotTimeout:
            side.unplayed_us = limit_us
            raise
        self.notes.excused += answer.is_excused
        reply = answer.reply
        match reply:
            case MoveReply():
                thought = make_thought(answer.elapsed_us, reply.info, process.tree.turn_us)
                self.thoughts.append(thought)
                try:
                    game.play(reply.column)
                except IllegalMove as error:
                    raise illegal_move_error(game.position(), reply.column) from error
                return True
            case Resign():
                side.unplayed_us = answer.elapsed_us
                return False
            case _:
                assert_never(reply)

    def _thoughts(self, index: int) -> list[Thought]:
        """Return the records of one side's moves, including an illegal one."""
        return self.thoughts[(index + len(self.plan.opening)) & 1 :: 2]

    def _sum(self, index: int) -> SideSums:
        """Return the sums over one side's moves, including one that never came."""
        thoughts = self._thoughts(index)
        times = [thought.time_us for thought in thoughts]
        unplayed_us = self.sides[index].unplayed_us
        if unplayed_us is not None:
            times.append(unplayed_us)
        reported = [thought for thought in thoughts if thought.work]
        return SideSums(
            moves=len(times),
            time_us=sum(times),
            max_us=max(times, default=0),
            simulations=sum([thought.work or 0 for thought in reported]),
            searched_us=sum([thought.time_us for thought in reported]),
        )

    def _finish(self, end: GameEnd) -> None:
        """Send the result to both bots and release their processes; kill that of the offender."""
        message = GameOver(end.result.value, end.termination.value)
        for index, side in enumerate(self.sides):
            process, side.process = side.process, None
            if process is None:
                continue
            if index == end.offender:
                process.failed = True
                process.kill()
                self.last_output = process.last_output()
                continue
            process.send(message)
            renew = side.entrant.should_restart(pair_ended=self.swapped)
            self.pool.release(side.entrant.start, process, renew=renew)


def _make_adjudicator(plan: PairPlan) -> "Adjudicator | None":
    """Return the adjudicator of a game, or None if it is played out."""
    if plan.adjudicate is None:
        return None
    # imported here because it loads the compiler, which other games do not need
    from ladder.match.game.adjudicator import Adjudicator

    return Adjudicator(parse_board(plan.board), plan.adjudicate)
