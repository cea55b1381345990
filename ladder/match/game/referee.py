"""The referee: plays one game, and one pair, by the rules, charging failures to their cause."""

import time
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from bots.protocol import READY_S, GameOver, Info, MoveAsk, MoveReply
from db.records import thought_blob
from db.records.games import LINE_PLIES, GameRecord, LastWords, Thought
from db.records.pairs import (
    Entrant,
    PairPlan,
    PairRecord,
)
from db.records.sides import SideSums
from engine.board import MAX_SIDE, parse_board
from engine.errors import IllegalMove
from engine.game_in_play import GameInPlay
from engine.position import Position, format_moves
from engine.result import Result, Termination
from ladder.errors import BotChanged, BotFailure, BotIllegalMove, BotTimeout, MachineStalled
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.broadcast import Broadcast
from ladder.match.game.cpu_use import CpuUse
from ladder.match.game.new_game import move_limit_us, new_game
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.cpu_wait import Stall
from ladder.match.specs.file_state import check_unchanged

COLUMNS = range(MAX_SIDE)
MAX_STALLS = 3
"""Stalls of the machine that a pair survives."""
OWN_SHARE = 0.1
"""The part of the margin that a bot may take for itself and be excused for the rest."""
CALM_S = (0.05, 0.2, 0.8)
"""How long each of them is let pass before the bot is asked again, in seconds."""


def play_pair(plan: PairPlan, pool: BotPool, broadcast: Broadcast | None = None) -> PairRecord:
    """Play both games of a pair; `broadcast` is told the moves as they are made.

    After a stall of the machine the move in question is asked again, of a fresh process. Under a
    work budget, where a move depends on all messages before it, the pair starts again. After more
    than three stalls the record holds no games and says why; so it does, at once, when a bot's
    files were not what was registered.
    """
    notes = _Notes([], [])
    games: tuple[GameRecord, ...] = ()
    while not games and len(notes.stalls) <= MAX_STALLS:
        try:
            first = _Game(plan, False, pool, notes, broadcast).play()
            games = (first, _Game(plan, True, pool, notes, broadcast).play())
        except MachineStalled as stall:
            notes.stalls.append(str(stall))
        except BotChanged as error:
            changed = [each.revision for each in (plan.a, plan.b) if each.start == error.start]
            return PairRecord(
                plan.id, plan.number, (), abort_reason=error.files, changed=tuple(changed)
            )
    return PairRecord(
        plan.id,
        plan.number,
        games,
        aborts=len(notes.stalls),
        abort_reason="" if games else notes.stalls[-1],
        failed_starts=tuple(notes.failed_starts),
        pondering=tuple(
            each.revision for each in (plan.a, plan.b) if pool.conduct(each.start).ponders
        ),
    )


def play_game(plan: PairPlan, pool: BotPool, *, swapped: bool) -> GameRecord:
    """Play one game of a pair; A moves first unless `swapped`.

    Raises:
        MachineStalled: a bot was late because the machine did not let it run.

    """
    return _Game(plan, swapped, pool, _Notes([], [])).play()


def thought_of(elapsed_us: int, info: Info | None) -> Thought:
    """The stored record of a move: its time, and the numbers that the bot told about it."""
    if info is None:
        return Thought(elapsed_us)
    work = info.nodes if info.simulations is None else info.simulations
    proven: str | None = info.proven
    if proven is not None and info.distance is not None:
        proven = f"{proven} {info.distance}"
    line = expected_line(info.pv) if info.pv else ""
    return Thought(elapsed_us, info.value, work, info.depth, proven, line=line)


def expected_line(pv: Sequence[int]) -> str:
    """The stored part of a bot's expected line: the columns after its own move.

    It ends before the first number that is no column, for a stranger's bot may tell any.
    """
    return format_moves(takewhile(COLUMNS.__contains__, pv[1 : LINE_PLIES + 1]))


def answered(position: Position, column: int) -> Position:
    """The position after a bot's answer.

    Raises:
        BotIllegalMove: the column cannot be played.

    """
    try:
        return position.play(column)
    except IllegalMove as error:
        raise illegal(position, column) from error


def illegal(position: Position, column: int) -> BotIllegalMove:
    """The failure of a bot that plays a column which takes no stone."""
    legal = ", ".join(str(column) for column in position.legal_moves())
    return BotIllegalMove(
        f"played column {column} at ply {position.ply} of "
        f"'{position.notation()}': legal columns were {legal}"
    )


class GameEnd(NamedTuple):
    """How a game ended."""

    result: Result
    """From the first player's side."""
    termination: Termination
    detail: str = ""
    """For a forfeit: what happened."""


class _Notes(NamedTuple):
    """Events of a pair beside its games."""

    failed_starts: list[int]
    """Revisions of bots that could not be started or did not shake hands."""
    stalls: list[str]
    """A sentence for each stall of the machine."""


class _Side:
    """One player of the game in play."""

    __slots__ = ("cpu", "entrant", "late_us", "limit_s", "limit_us", "process", "timed")

    def __init__(self, entrant: Entrant, plan: PairPlan) -> None:
        self.entrant = entrant
        self.process: BotProcess | None = None
        self.late_us: int | None = None
        """The time of a last move that came too late; None: there was none."""
        self.cpu = CpuUse()
        self.timed = entrant.budget.time_ms is not None
        self.limit_us = move_limit_us(
            entrant.budget, margin_ms=plan.margin_ms, watchdog_s=plan.watchdog_s
        )
        self.limit_s = self.limit_us / 1e6


class _Game:
    """One game from its start to its record."""

    def __init__(
        self,
        plan: PairPlan,
        swapped: bool,
        pool: BotPool,
        notes: _Notes,
        broadcast: Broadcast | None = None,
    ) -> None:
        self.told = None if broadcast is None else broadcast.begins(plan, swapped)
        """Takes the moves of this game; None: nobody listens."""
        self.plan = plan
        self.swapped = swapped
        self.pool = pool
        self.notes = notes
        entrants = (plan.b, plan.a) if swapped else (plan.a, plan.b)
        self.sides = (_Side(entrants[0], plan), _Side(entrants[1], plan))
        self.game = GameInPlay(parse_board(plan.board), plan.opening)
        self.thoughts: list[Thought] = []
        """Of the moves of both sides, in order."""
        self.offender: int | None = None
        """Whom a failure is charged to: 0 the first player, 1 the second."""
        self.last_words: LastWords | None = None
        """The offender's."""

    def play(self) -> GameRecord:
        """Play the game.

        Raises:
            MachineStalled: the machine did not let a bot run, and it cannot be asked again.
            BotChanged: a bot's files are not what was registered.

        """
        started = time.time()
        clock = time.perf_counter_ns()
        game = self.game
        try:
            try:
                for self.offender in (0, 1):
                    self._prepare(self.offender)
                self.pool.hold_idle()
                while not game.is_over:
                    self._move()
                    if self.told is not None:
                        self.told.show(game.moves, self.thoughts, self._times_us())
                verdict = verdict_on_board(game)
                self.offender = None
            except BotFailure as failure:
                result = Result.LOSS if self.offender == 0 else Result.WIN
                verdict = GameEnd(result, failure.termination, str(failure))
                self.last_words = failure.last_words
            if self.told is not None:
                self.told.end(
                    game.moves, self.thoughts, self._times_us(), verdict.result, verdict.termination
                )
            self._finish(verdict)
            # After the game and whatever its end: nothing that was loaded in it can have been
            # another content, and a bot that was broken by an edit is not charged.
            for side in self.sides:
                check_unchanged(side.entrant.start)
        finally:
            # Whatever is still held here was in the middle of something.
            for side in self.sides:
                if side.process is not None:
                    side.process.kill()
                    side.process = None
        return GameRecord(
            swapped=self.swapped,
            moves=tuple(game.moves),
            result=verdict.result,
            termination=verdict.termination,
            sides=(self._sums(0), self._sums(1)),
            thoughts=thought_blob.encode(self.thoughts),
            started=started,
            duration_us=(time.perf_counter_ns() - clock) // 1000,
            detail=verdict.detail,
            last_words=self.last_words,
        )

    def _times_us(self) -> tuple[int, int]:
        """Time of all moves of each side."""
        return self._time_us(0), self._time_us(1)

    def _prepare(self, index: int) -> None:
        """Get a process ready to play one side of this game.

        Raises:
            MachineStalled: the machine did not let it, too often in this pair.

        """
        while True:
            try:
                self._begin(index)
            except MachineStalled as stall:
                self._let_pass(stall)
            else:
                return

    def _begin(self, index: int) -> None:
        side = self.sides[index]
        entrant = side.entrant
        try:
            side.process = self.pool.acquire(entrant.start, entrant.name)
        except BotFailure:
            self.notes.failed_starts.append(entrant.revision)
            raise
        name = f"{self.plan.id}-{int(self.swapped)}"
        question = new_game(entrant, self.game.board, game=name, side=index, seed=self.plan.seed)
        opponent = self.sides[1 - index].entrant.name
        side.process.head_log(
            f"game {1 + self.swapped} of pair {self.plan.number}: {entrant.name} moves "
            f"{('first', 'second')[index]}, against {opponent} on {self.plan.board}"
        )
        side.process.ask(question, timeout_s=READY_S)
        side.process.begin_game()

    def _move(self) -> None:
        """Ask the side to move for its move and play it."""
        game = self.game
        moves = game.moves
        ply = len(moves)
        self.offender = mover = ply & 1
        side = self.sides[mover]
        process = side.process
        assert process is not None  # noqa: S101 - prepared before the first move
        try:
            reply, elapsed_us = process.ask(
                MoveAsk(ply, tuple(moves)), timeout_s=side.limit_s, watch_runqueue=side.timed
            )
        except (BotTimeout, MachineStalled) as failure:
            self._move_again(failure, process.stall)
            return
        assert type(reply) is MoveReply  # noqa: S101 - `ask` lets no other answer through
        family = process.family
        turn_us = family.turn_us
        info = reply.info
        if info is None:
            thought = Thought(elapsed_us, None, None, None, None, turn_us)
        else:
            thought = thought_of(elapsed_us, info)
            thought.cpu_us = turn_us
        self.thoughts.append(thought)
        if (family.rest_us or turn_us > elapsed_us) and side.cpu.add(family, elapsed_us):
            self._check_cpu(mover)
        try:
            game.play(reply.column)
        except IllegalMove as error:
            raise illegal(game.position(), reply.column) from error

    def _check_cpu(self, index: int) -> None:
        """Hold a side that has used more than passes against its allowance.

        Raises:
            BotPondering: it has used its opponent's time.
            BotOverCpu: it has left its CPU.

        """
        side, opponent = self.sides[index], self.sides[1 - index]
        if opponent.timed:
            side.cpu.check_rest(self._time_us(1 - index))
        if side.timed and self.pool.has_one_cpu:
            side.cpu.check_turns(self._time_us(index))

    def _move_again(self, failure: BotTimeout | MachineStalled, stall: Stall | None) -> None:
        """Ask a fresh process for the move of a bot that was late through no fault of its own.

        Repeating the game instead would favour whoever wins the short ones, which a stall meets
        less often.

        Raises:
            BotTimeout: it was late by itself.
            BotPondering: its opponent made it late.
            MachineStalled: it cannot be asked again.

        """
        ply = len(self.game.moves)
        index = ply & 1
        side = self.sides[index]
        if isinstance(failure, BotTimeout):
            failure = self._excuse(ply, failure, stall)
        # What a bot does under a work budget may depend on all the messages before.
        if not side.timed:
            raise failure
        self._let_pass(failure)
        self._prepare(index)
        self._move()

    def _let_pass(self, stall: MachineStalled) -> None:
        """Wait a little for the machine to calm down, unless the pair has stalled too often."""
        so_far = len(self.notes.stalls)
        if so_far == MAX_STALLS:
            raise stall
        self.notes.stalls.append(str(stall))
        time.sleep(CALM_S[so_far])

    def _excuse(self, ply: int, late: BotTimeout, stall: Stall | None) -> MachineStalled:
        """The stall of the machine that a late side is excused by.

        Raises:
            BotTimeout: there was none.
            BotPondering: its opponent kept it from running, and is charged.

        """
        index = ply & 1
        side, opponent = self.sides[index], self.sides[1 - index]
        sentence = blame_machine(side.entrant, stall, ply, self.plan.margin_ms)
        if sentence is None:
            side.late_us = side.limit_us
            raise late
        assert opponent.process is not None  # noqa: S101 - prepared before the first move
        self.offender = 1 - index
        rest_us = opponent.process.family.look_at_rest()
        opponent.cpu.check_rest(self._time_us(index) + side.limit_us, rest_us)
        self.offender = index
        return MachineStalled(sentence)

    def _thoughts_of(self, index: int) -> list[Thought]:
        """The thoughts of one side: a move that was asked again has one, as every other."""
        return self.thoughts[(index + len(self.plan.opening)) & 1 :: 2]

    def _time_us(self, index: int) -> int:
        """The time of all moves of one side."""
        late_us = self.sides[index].late_us or 0
        return late_us + sum([thought.time_us for thought in self._thoughts_of(index)])

    def _sums(self, index: int) -> SideSums:
        """The sums over one side's moves, one that came too late among them."""
        thoughts = self._thoughts_of(index)
        times = [thought.time_us for thought in thoughts]
        late_us = self.sides[index].late_us
        if late_us is not None:
            times.append(late_us)
        told = [thought for thought in thoughts if thought.simulations]
        return SideSums(
            moves=len(times),
            time_us=sum(times),
            max_us=max(times, default=0),
            simulations=sum([thought.simulations or 0 for thought in told]),
            searched_us=sum([thought.time_us for thought in told]),
        )

    def _finish(self, verdict: GameEnd) -> None:
        """Tell the players the result and give their processes back; the offender's is ended."""
        message = GameOver(verdict.result.value, verdict.termination.value)
        for index, side in enumerate(self.sides):
            process, side.process = side.process, None
            if process is None:
                continue
            if index == self.offender:
                process.failed = True
                process.kill()
                self.last_words = process.last_words()
                continue
            process.tell(message)
            renew = side.entrant.renews(pair_ended=self.swapped)
            self.pool.release(side.entrant.start, process, renew=renew)


def blame_machine(entrant: Entrant, stall: Stall | None, ply: int, margin_ms: int) -> str | None:
    """A sentence when a late bot or the referee was kept waiting for as long as the move overran.

    A bot that uses its time to the end takes a little more of it on a busy machine, whose caches
    others have filled; so OWN_SHARE of the margin is its own affair.

    Args:
        entrant: the late bot.
        stall: who waited for how long; None: nobody has watched.
        ply: the move's.
        margin_ms: how late a move may be.

    Returns:
        The sentence; None when the bot alone is to blame.

    """
    budget_ms = entrant.budget.time_ms
    if stall is None or budget_ms is None:
        return None
    overrun_us = stall.elapsed_us - 1000 * budget_ms
    if stall.waited_us < overrun_us - OWN_SHARE * 1000 * margin_ms:
        return None
    return (
        f"{entrant.name} was late at ply {ply} by {overrun_us / 1000:.0f} ms, while the "
        f"machine kept it or the referee waiting for {stall.waited_us / 1000:.0f} ms"
    )


def verdict_on_board(position: Position | GameInPlay) -> GameEnd:
    """The verdict on a game that has ended on the board."""
    ending = position.ending
    assert ending is not None  # noqa: S101 - nobody asks before
    return GameEnd(*ending)
