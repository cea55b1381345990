"""One game under the referee, from the first process to its record."""

import time
from collections.abc import Callable
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from bots.budget import RemainingTime
from bots.game_clock import moves_left
from bots.protocol import READY_S, GameOver, MoveAsk, MoveReply
from db.records import thought_blob
from db.records.games import GameRecord, LastOutput, Thought
from db.records.pairs import Entrant, Excuses, PairPlan
from db.records.sides import SideSums
from engine.board import parse_board
from engine.errors import IllegalMove
from engine.mutable_game import MutableGame
from engine.result import Result
from ladder.errors import BotFailure, BotTimeout, MachineStalled
from ladder.match.game.answers import illegal_move_error, make_thought
from ladder.match.game.blame import LateMove, LateMoveVerdict
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.broadcast import Broadcaster
from ladder.match.game.control import ControlMeasurement
from ladder.match.game.cpu_use import CpuUse
from ladder.match.game.ending import Forfeit, GameEnd, ending_by_proof, ending_on_board
from ladder.match.game.new_game import SideClock, make_new_game
from ladder.match.process.bot_process import Answer, BotProcess
from ladder.match.process.cpu_wait import Snapshot, Stall, measure_start_delay_us, snapshot
from ladder.match.process.outside import OutsideClocks
from ladder.match.process.process_tree import ProcessTree

if TYPE_CHECKING:
    from ladder.match.game.adjudicator import Adjudicator

MAX_STALLS = 3
"""Maximum number of stalls of the machine in one pair."""
PAUSES_S = (0.05, 0.2, 0.8)
"""Pauses after the first, second and third stall before the bot is asked again, in seconds."""
CONTROL_S = 0.2
"""Longest control measurement after a late move; it also takes at most as long as the move."""
USUAL_MOVES = 3
"""Number of moves after which the median of a bot's processor time is meaningful."""
PREPARING_SHARE, PREPARING_US = 1.5, 100_000
"""A process that is started to repeat a question may prepare for 1.5 times the bot's shortest
preparation before a game, plus 100 ms. The time beyond that counts as thinking, for the process
already knows the position."""
LateMoveJudge = Callable[[LateMove, float], LateMoveVerdict]
"""The type of `ladder.match.game.blame.judge_late_move`."""


class AtFault(NamedTuple):
    """The decision on a late move: a side is to blame."""

    side: int
    failure: BotFailure


class Excused(NamedTuple):
    """The decision on a late move: the machine is to blame."""

    stall: MachineStalled
    counted: bool = True
    """Whether it counts as an excuse of the bot that was asked."""
    control: ControlMeasurement | None = None
    """The control measurement on which the decision is based."""


class PairNotes:
    """Events of a pair besides its games; lists of two numbers are A's and B's."""

    def __init__(self) -> None:
        self.failed_starts: list[int] = []
        """Revisions of bots that could not be started or did not answer hello."""
        self.stalls: list[str] = []
        """A sentence for each stall of the machine."""
        self.excused = [0, 0]
        """Stalls counted as excuses: at a start or a late move, except where the host of a virtual
        machine took the time."""
        self.asked_us = [0, 0]
        """Time of all moves under a time budget, including excused ones."""
        self.late_controls = 0
        """Control measurements that explain the delay of the move before them."""
        self.control_us = 0
        """Time of all control measurements."""

    def add_control(self, control: ControlMeasurement, late_move: LateMove) -> None:
        """Count a control measurement, and whether it explains the late move."""
        self.control_us += control.elapsed_us
        self.late_controls += late_move.explains(control)

    def excuses(self) -> Excuses:
        """Return the excuses for the record of the pair."""
        return Excuses(
            (self.excused[0], self.excused[1]),
            (self.asked_us[0], self.asked_us[1]),
            self.late_controls,
            self.control_us,
        )


class _Side:
    """One side of the game."""

    __slots__ = (
        "charged_us", "clock", "cpu", "entrant", "has_bank", "late_us", "process", "timed"
    )  # fmt: skip

    def __init__(self, entrant: Entrant, plan: PairPlan) -> None:
        self.entrant = entrant
        self.process: BotProcess | None = None
        self.late_us: int | None = None
        """Time of the move that lost the game by its lateness; None if there was no such move."""
        self.charged_us = 0
        """Preparation time that is charged to the next move; see `PREPARING_SHARE`."""
        self.cpu = CpuUse()
        self.timed = entrant.budget.is_timed
        self.has_bank = entrant.budget.has_bank
        self.clock = SideClock(entrant.budget, margin_ms=plan.margin_ms, watchdog_s=plan.watchdog_s)

    @property
    def limit_us(self) -> int:
        """The deadline of its next move."""
        return self.clock.limit_us

    @property
    def bank_us(self) -> int | None:
        """What is left of its clock or overage for this move; None if it has neither."""
        game = self.clock.game
        return max(0, game.bank_us - self.charged_us) if self.has_bank and game else None


def _make_adjudicator(plan: PairPlan) -> "Adjudicator | None":
    """Return the adjudicator of a game, or None if it is played out."""
    if plan.adjudicate is None:
        return None
    # imported here because it loads the compiler, which other games do not need
    from ladder.match.game.adjudicator import Adjudicator

    return Adjudicator(parse_board(plan.board), plan.adjudicate)


class RefereedGame:
    """One game from its start to its record."""

    def __init__(
        self,
        plan: PairPlan,
        swapped: bool,
        pool: BotPool,
        notes: PairNotes,
        judge_late: LateMoveJudge,
        broadcast: Broadcaster | None = None,
    ) -> None:
        self.updates = None if broadcast is None else broadcast.start_game(plan, swapped)
        """Sends the positions to live pages; None if there is no listener."""
        self.plan = plan
        self.swapped = swapped
        self.pool = pool
        self.notes = notes
        self.judge_late = judge_late
        entrants = (plan.b, plan.a) if swapped else (plan.a, plan.b)
        self.sides = (_Side(entrants[0], plan), _Side(entrants[1], plan))
        self.game = MutableGame(parse_board(plan.board), plan.opening)
        self.adjudicator = _make_adjudicator(plan)
        self.thoughts: list[Thought] = []
        """Records of the moves of both sides after the opening, in order."""
        self.last_output: LastOutput | None = None
        """The last output of a bot that failed."""

    def play(self) -> GameRecord:
        """Play the game.

        Raises:
            MachineStalled: the machine delayed a bot, and the bot cannot be asked again.

        """
        started = time.time()
        clock = time.perf_counter_ns()
        game = self.game
        try:
            end = self._play_to_end()
            if self.updates is not None:
                self.updates.send_end(
                    game.moves,
                    self.thoughts,
                    self._times_us(),
                    end.result,
                    end.termination,
                    self._banks_us(),
                )
            self._finish(end)
        finally:
            # A process that is still here was interrupted in the middle of the game.
            for index, side in enumerate(self.sides):
                if side.process is not None:
                    side.process.kill()
                    side.process = None
                if side.timed:
                    self.notes.asked_us[self._pair_side(index)] += self._time_us(index)
        return GameRecord(
            swapped=self.swapped,
            moves=tuple(game.moves),
            result=end.result,
            termination=end.termination,
            sides=(self._summarize_side(0), self._summarize_side(1)),
            thoughts=thought_blob.encode(self.thoughts),
            started=started,
            duration_us=(time.perf_counter_ns() - clock) // 1000,
            detail=end.detail,
            last_output=self.last_output,
        )

    def _play_to_end(self) -> GameEnd:
        """Play until the game ends on the board or by a forfeit."""
        index = 0
        try:
            for index in (0, 1):
                self._prepare(index)
            self.pool.pause_idle()
            game = self.game
            while not game.is_over:
                index = len(game.moves) & 1
                self._move(index)
                if self.updates is not None:
                    self.updates.send_position(
                        game.moves, self.thoughts, self._times_us(), self._banks_us()
                    )
                if self.adjudicator is not None and not game.is_over:
                    proof = self.adjudicator.find_proof(game.position(), self.thoughts[-1])
                    if proof is not None:
                        return ending_by_proof(proof)
        except BotFailure as failure:
            return self._forfeit(index, failure)
        except Forfeit as forfeit:
            return self._forfeit(forfeit.side, forfeit.failure)
        return ending_on_board(game)

    def _forfeit(self, index: int, failure: BotFailure) -> GameEnd:
        """Return the end of a game that a side loses by its failure."""
        self.last_output = failure.last_output
        result = Result.LOSS if index == 0 else Result.WIN
        return GameEnd(result, failure.termination, str(failure), offender=index)

    def _pair_side(self, index: int) -> int:
        """Return 0 if a side is A, 1 if it is B."""
        return index ^ self.swapped

    def _times_us(self) -> tuple[int, int]:
        """Return the time of all moves of each side."""
        return self._time_us(0), self._time_us(1)

    def _banks_us(self) -> tuple[int | None, int | None]:
        """Return what each side has left of its clock or overage."""
        return self.sides[0].bank_us, self.sides[1].bank_us

    def _prepare(
        self, index: int, *, again: bool = False, control: ControlMeasurement | None = None
    ) -> None:
        """Get a process ready to play one side of this game.

        Args:
            index: index of the side.
            again: whether the next question was already asked, so that the process may use its
                preparation to think.
            control: the last control measurement, if there is one.

        Raises:
            BotTimeout: the preparation used up the time for the move.
            MachineStalled: the machine delayed bots too often in this pair.

        """
        while True:
            before = snapshot(None, ended=False, outside=OutsideClocks().read()) if again else None
            began = time.perf_counter_ns()
            try:
                was_fresh = self._start_game(index)
            except MachineStalled as stall:
                self._wait_out(stall, index)
            else:
                break
        took_us = (time.perf_counter_ns() - began) // 1000
        side = self.sides[index]
        if before is not None:
            self._charge_preparation(side, took_us, before, control)
        elif was_fresh:
            known = self.pool.shortest_preparation_us
            key = (side.entrant.start, side.entrant.player)
            known[key] = min(took_us, known.get(key, took_us))

    def _start_game(self, index: int) -> bool:
        """Begin the game with a process; return whether it is the first game of that process."""
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
        opponent = self.sides[1 - index].entrant.name
        side.process.add_log_heading(
            f"game {1 + self.swapped} of pair {self.plan.number}: {entrant.name} moves "
            f"{('first', 'second')[index]}, against {opponent} on {self.plan.board}"
        )
        side.process.ask(question, timeout_s=READY_S)
        was_fresh = not side.process.has_played
        side.process.begin_game()
        return was_fresh

    def _charge_preparation(
        self, side: _Side, took_us: int, before: Snapshot, control: ControlMeasurement | None
    ) -> None:
        """Charge a long preparation for a repeated question to the next move.

        Args:
            side: the side, whose process is ready.
            took_us: duration of its start and preparation.
            before: snapshot taken before its start.
            control: the last control measurement, if there is one.

        Raises:
            BotTimeout: there is no time left for the move.

        """
        process = side.process
        assert process is not None  # noqa: S101 - it is ready
        shortest_us = self.pool.shortest_preparation_us.get(
            (side.entrant.start, side.entrant.player)
        )
        if shortest_us is None:  # its first process had played as another built-in player
            return
        free_us = int(PREPARING_SHARE * shortest_us) + PREPARING_US
        if took_us <= free_us:
            return
        contended_us = 0 if control is None else control.contended_us(took_us)
        took_us -= max(
            contended_us, measure_start_delay_us(process.supervisor_pid, before, contended_us)
        )
        took_us -= process.overslept_us
        side.charged_us = max(0, took_us - free_us)
        if side.charged_us >= side.limit_us:
            side.late_us = side.limit_us
            raise BotTimeout(
                f"took {took_us / 1000:.0f} ms to prepare for a repeated question (ply "
                f"{len(self.game.moves)}); preparation beyond {free_us / 1000:.0f} ms counts as "
                f"thinking, which leaves nothing of the {side.limit_us / 1000:.0f} ms for the move"
            )

    def _move(self, index: int) -> None:
        """Ask a side for its move, record it and play it.

        Raises:
            BotFailure: the side failed.
            Forfeit: its opponent made it late.
            MachineStalled: the machine delayed it, and it cannot be asked again.

        """
        game, side = self.game, self.sides[index]
        (reply, elapsed_us), tree = self._ask_for_move(index)
        assert type(reply) is MoveReply  # noqa: S101 - `ask` lets no other answer through
        elapsed_us += side.charged_us
        side.charged_us = 0
        self.thoughts.append(make_thought(elapsed_us, reply.info, tree.turn_us))
        side.clock.spend(elapsed_us)
        if tree.turn_us > elapsed_us and side.cpu.add(tree, elapsed_us):
            self._check_cpu(index)
        try:
            game.play(reply.column)
        except IllegalMove as error:
            raise illegal_move_error(game.position(), reply.column) from error

    def _ask_for_move(self, index: int) -> tuple[Answer, ProcessTree]:
        """Return a side's answer to the position, and its processes.

        If the machine delayed the side, a new process is asked for the same move. Repeating the
        whole game instead would favor bots that win quickly, whose games meet fewer stalls.

        Raises:
            BotFailure: the side failed.
            Forfeit: its opponent made it late.
            MachineStalled: the machine delayed it, and it cannot be asked again.

        """
        moves = self.game.moves
        side = self.sides[index]
        while True:
            process = side.process
            assert process is not None  # noqa: S101 - prepared before the first move
            try:
                answer = process.ask(
                    self._question(index) if side.has_bank else MoveAsk(len(moves), tuple(moves)),
                    timeout_s=(side.limit_us - side.charged_us) / 1e6,
                    watch_runqueue=side.timed,
                )
            except MachineStalled as stall:
                cause: AtFault | Excused = Excused(stall)
            except BotTimeout as failure:
                cause = self._find_cause(index, failure, process.stall)
            else:
                return answer, process.tree
            if isinstance(cause, AtFault):
                raise Forfeit(cause.side, cause.failure)
            # Under a work budget a move may depend on all earlier messages: repeat the pair.
            if not side.timed:
                raise cause.stall
            self._wait_out(cause.stall, index, counted=cause.counted)
            side.charged_us = 0
            self._prepare(index, again=True, control=cause.control)

    def _question(self, index: int) -> MoveAsk:
        """Return the question for a move of a side with a clock or an overage."""
        moves, side = self.game.moves, self.sides[index]
        game = side.clock.game
        assert game is not None  # noqa: S101 - as it has a bank
        clock = RemainingTime(
            yours_ms=(side.bank_us or 0) // 1000,
            theirs_ms=(self.sides[1 - index].bank_us or 0) // 1000,
            move_ms=game.share_ms(moves_left(self.game.board.cells, len(moves))),
            increment_ms=game.increment_us // 1000,
            time_ms=game.move_us // 1000,
        )
        return MoveAsk(len(moves), tuple(moves), clock)

    def _check_cpu(self, index: int) -> None:
        """Raise the failure of a side whose processor time exceeds its allowance.

        Raises:
            BotOverCpu: it used more than its one CPU.

        """
        side = self.sides[index]
        if side.timed and self.pool.has_one_cpu:
            side.cpu.check_turns(self._time_us(index))

    def _wait_out(self, stall: MachineStalled, index: int, *, counted: bool = True) -> None:
        """Pause after a stall of the machine, or raise it if the pair has stalled too often.

        Args:
            stall: the stall.
            index: the side that was asked.
            counted: whether it counts as an excuse of that side.

        """
        self.notes.excused[self._pair_side(index)] += counted
        so_far = len(self.notes.stalls)
        if so_far == MAX_STALLS:
            raise stall
        self.notes.stalls.append(str(stall))
        time.sleep(PAUSES_S[so_far])

    def _find_cause(self, index: int, late: BotTimeout, stall: Stall | None) -> AtFault | Excused:
        """Decide whether the mover or the machine is to blame for a late move."""
        side = self.sides[index]
        late_move = self._late_move(index, stall)
        verdict = LateMoveVerdict(False)
        if late_move is not None:
            verdict = self.judge_late(late_move, min(CONTROL_S, side.limit_us / 1e6))
            if verdict.control is not None:
                self.notes.add_control(verdict.control, late_move)
        if not verdict.excused or late_move is None:
            side.late_us = side.limit_us
            return AtFault(index, _flag_fall(late) if side.has_bank else late)
        stall = late_move.stall
        self.notes.asked_us[self._pair_side(index)] += stall.elapsed_us
        overrun_us = stall.elapsed_us - late_move.budget_us
        delayed = MachineStalled(
            f"{side.entrant.name} was late at ply {len(self.game.moves)} by "
            f"{overrun_us / 1000:.0f} ms, while it or the referee waited "
            f"{max(stall.waited_us, stall.stolen_us) / 1000:.0f} ms for other programs"
        )
        return Excused(delayed, verdict.control is not None, verdict.control)

    def _late_move(self, index: int, stall: Stall | None) -> LateMove | None:
        """Return the facts about a side's late move, or None if nothing was measured."""
        side = self.sides[index]
        game = side.clock.game
        if stall is None or game is None:
            return None
        cpu_us = [each.cpu_us for each in self._thoughts_of(index) if each.cpu_us is not None]
        # With a clock or an overage earlier moves had more time, so long ones show no slow bot.
        has_usual = len(cpu_us) >= USUAL_MOVES and not side.has_bank
        return LateMove(
            budget_us=game.left_us - side.charged_us,
            margin_us=1000 * self.plan.margin_ms,
            stall=stall,
            usual_us=int(median(cpu_us)) if has_usual else None,
            alone=side.entrant.revision in self.plan.unexcused,
        )

    def _thoughts_of(self, index: int) -> list[Thought]:
        """Return the records of one side's moves; a repeated question has one record as well."""
        return self.thoughts[(index + len(self.plan.opening)) & 1 :: 2]

    def _time_us(self, index: int) -> int:
        """Return the time of all moves of one side."""
        late_us = self.sides[index].late_us or 0
        return late_us + sum([thought.time_us for thought in self._thoughts_of(index)])

    def _summarize_side(self, index: int) -> SideSums:
        """Return the sums over one side's moves, including one that came too late."""
        thoughts = self._thoughts_of(index)
        times = [thought.time_us for thought in thoughts]
        late_us = self.sides[index].late_us
        if late_us is not None:
            times.append(late_us)
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


def _flag_fall(late: BotTimeout) -> BotTimeout:
    """Return the failure of a bot whose time for the game has run out."""
    failure = BotTimeout(f"{late}; this was all that was left of its time for the game")
    failure.last_output = late.last_output
    return failure
