"""The referee: plays a pair or one game by the rules, and charges failures to their cause."""

import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from bots.protocol import GameOver, Resign
from db.records import thought_blob
from db.records.archives import find_lost
from db.records.games import GameRecord, LastOutput, SideSums, Thought
from db.records.pairs import Entrant, PairPlan, PairRecord
from db.records.rules import GameRules
from engine.board import Board, parse_board
from engine.errors import IllegalMove
from engine.mutable_game import MutableGame
from ladder.errors import BotCrash, BotFailure, BotTimeout, MachineStalled
from ladder.match.game.asking import (
    SideClock,
    begin_game,
    illegal_move_error,
    make_thought,
)
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.broadcast import BoardInPlay, Broadcaster
from ladder.match.game.endings import EndingRule, GameEnd
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.failures import machine_fault

T = TypeVar("T")
PAUSES_S = (0.05, 0.2, 0.8)
"""Pauses before a pair that the machine disturbed is played again, in seconds."""


@dataclass
class PairNotes:
    """Events of a pair besides its games."""

    failed_starts: list[int] = field(default_factory=list)
    """Revisions of bots that could not be started or did not answer hello."""
    unusable: dict[int, str] = field(default_factory=dict)
    """An optional value in moves that could not be used, by revision."""
    stalls: list[str] = field(default_factory=list)
    """Why the pair was played again, each time."""
    excused: int = 0
    """Late moves that counted, because the machine explains their delay."""


def play_pair(plan: PairPlan, pool: BotPool, broadcast: Broadcaster | None = None) -> PairRecord:
    """Play both games of a pair.

    A pair that the machine disturbs is played again. If that happens too often, the record has no
    games but a reason.

    Args:
        plan: the pair.
        pool: the processes of bots.
        broadcast: receives each position, for live pages.

    """
    notes = PairNotes()

    def play() -> tuple[GameRecord, ...]:
        first = _Game(plan, False, pool, notes, broadcast).play()
        return first, _Game(plan, True, pool, notes, broadcast).play()

    games: tuple[GameRecord, ...] = ()
    with contextlib.suppress(MachineStalled):
        games = play_undisturbed(play, notes.stalls)
    return PairRecord(
        plan.pair.id,
        plan.pair.number,
        games,
        stalls=len(notes.stalls) + notes.excused,
        abort_reason="" if games else notes.stalls[-1],
        failed_starts=tuple(notes.failed_starts),
        unusable=notes.unusable,
    )


def play_game(
    plan: PairPlan, pool: BotPool, *, swapped: bool, notes: PairNotes | None = None
) -> GameRecord:
    """Play one game of a pair; A moves first unless `swapped`.

    Args:
        plan: the pair.
        pool: the processes of bots.
        swapped: whether B moves first.
        notes: receives the events of the game.

    Raises:
        MachineStalled: the machine disturbed it in every attempt.

    """
    events = PairNotes() if notes is None else notes
    return play_undisturbed(lambda: _Game(plan, swapped, pool, events).play(), events.stalls)


def play_undisturbed(play: Callable[[], T], stalls: list[str]) -> T:
    """Call a function until the machine does not disturb it, at most four times.

    Args:
        play: raises OSError or MachineStalled if the machine disturbs it.
        stalls: receives why, each time.

    Raises:
        MachineStalled: the machine disturbed it in every attempt.

    """
    for pause_s in (*PAUSES_S, None):
        try:
            return play()
        except MachineStalled as error:
            stall = error
        except OSError as error:
            stall = machine_fault("a game could not be played", error)
        stalls.append(str(stall))
        if pause_s is None:
            raise stall
        time.sleep(pause_s)
    raise AssertionError("the last attempt returns or raises")


class _Side:
    """One side of the game."""

    def __init__(self, entrant: Entrant, plan: PairPlan, cells: int) -> None:
        self.entrant = entrant
        self.thoughts: list[Thought] = []
        """Records of its moves, including an illegal one."""
        self.unplayed_us: list[int] = []
        """Time of the move that never came, or of a resignation."""
        self.clock = SideClock(
            entrant.budget, cells, margin_ms=plan.margin_ms, watchdog_s=plan.watchdog_s
        )

    @property
    def sums(self) -> SideSums:
        """Sums over its moves, including one that never came."""
        times = [thought.time_us for thought in self.thoughts] + self.unplayed_us
        reported = [thought for thought in self.thoughts if thought.work]
        return SideSums(
            moves=len(times),
            time_us=sum(times),
            max_us=max(times, default=0),
            simulations=sum([thought.work or 0 for thought in reported]),
            searched_us=sum([thought.time_us for thought in reported]),
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
        board = parse_board(plan.pair.board)
        entrants = (plan.b, plan.a) if swapped else (plan.a, plan.b)
        self.sides = [_Side(entrant, plan, board.cells) for entrant in entrants]
        self.processes: list[BotProcess] = []
        """The processes of both sides that play this game."""
        self.game = MutableGame(board, plan.pair.opening)
        self.rules = _ending_rules(plan.rules, board)
        self.thoughts: list[Thought] = []
        """Records of the moves of both sides after the opening, in order."""
        self.last_output: LastOutput | None = None
        """The last output of a bot that failed."""

    def play(self) -> GameRecord:
        """Play the game.

        Raises:
            MachineStalled: the machine delayed a bot too long, or had a fault.
            OSError: the machine had a fault.

        """
        started = time.time()
        clock = time.perf_counter_ns()
        try:
            end = self._play_to_end()
            self._show(end)
            self._finish(end)
        finally:
            for process in self.processes:  # interrupted in the middle of the game
                process.kill()
        return GameRecord(
            swapped=self.swapped,
            moves=tuple(self.game.moves),
            result=end.result,
            termination=end.termination,
            sides=(self.sides[0].sums, self.sides[1].sums),
            thoughts=thought_blob.encode(self.thoughts),
            started=started,
            duration_us=(time.perf_counter_ns() - clock) // 1000,
            detail=end.detail,
            last_output=self.last_output,
        )

    def _play_to_end(self) -> GameEnd:
        """Play until the game ends on the board, by a rule, or by a side that fails or resigns."""
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
                if self.rules and (end := self._end_by_rule()):
                    return end
        except BotFailure as failure:
            _check_files(self.sides[index].entrant, failure)
            self.last_output = failure.last_output
            return GameEnd.by_failure(index, failure)
        return GameEnd.on_board(game)

    def _end_by_rule(self) -> GameEnd | None:
        """Return the end by a rule of a game that is not over on the board, or None."""
        for rule in self.rules:
            if not self.game.is_over and (end := rule.after_move(self.game, self.thoughts)):
                return end
        return None

    def _show(self, end: GameEnd | None = None) -> None:
        """Send the position to live pages if it is due."""
        if self.broadcast is None or not self.broadcast.is_due(is_end=end is not None):
            return
        first, second = self.sides
        last = [(side.thoughts or [Thought(0)])[-1] for side in self.sides]
        board = BoardInPlay(
            worker=os.getpid(),
            pair=self.plan.pair.id,
            game=int(self.swapped),
            board=self.plan.pair.board,
            names=(first.entrant.name, second.entrant.name),
            opening=len(self.plan.pair.opening),
            moves=tuple(self.game.moves),
            values=(last[0].value, last[1].value),
            last_us=(last[0].time_us, last[1].time_us),
            time_us=(first.sums.time_us, second.sums.time_us),
            time_ms=(first.entrant.budget.time_ms, second.entrant.budget.time_ms),
            result=None if end is None else end.result,
            termination=None if end is None else end.termination,
            left_us=(first.clock.bank_us, second.clock.bank_us),
        )
        self.broadcast.send(board)

    def _prepare(self, index: int) -> None:
        """Get a process of one side ready for this game. Raises BotFailure."""
        entrant = self.sides[index].entrant
        try:
            process = self.pool.acquire(entrant.start, entrant.name)
        except BotFailure as failure:
            _check_files(entrant, failure)
            self.notes.failed_starts.append(entrant.revision)
            raise
        self.processes.append(process)
        name = f"{self.plan.pair.id}-{int(self.swapped)}"
        seed = self.plan.pair.seed
        begin_game(process, entrant, self.game.board, game=name, side=index, seed=seed)

    def _move(self, index: int) -> bool:
        """Ask a side for its move, record it and play it; return False if it resigns.

        Raises:
            BotFailure: the side failed.
            MachineStalled: the machine delayed it too long, or had a fault.

        """
        game, side, process = self.game, self.sides[index], self.processes[index]
        try:
            answer = side.clock.ask(process, game.moves, self.sides[1 - index].clock.bank_us)
        except BotTimeout:
            side.unplayed_us.append(side.clock.limit_us)
            raise
        self.notes.excused += answer.is_excused
        if answer.unusable:
            self.notes.unusable[side.entrant.revision] = answer.unusable
        reply = answer.reply
        if isinstance(reply, Resign):
            side.unplayed_us.append(answer.own_us)
            return False
        thought = make_thought(answer.own_us, reply.info, process.tree.turn_us)
        self.thoughts.append(thought)
        side.thoughts.append(thought)
        try:
            game.play(reply.column)
        except IllegalMove as error:
            raise illegal_move_error(game.position(), reply.column) from error
        return True

    def _finish(self, end: GameEnd) -> None:
        """Send the result to both bots and release their processes; kill that of the offender."""
        while self.processes:
            process = self.processes.pop()
            index = len(self.processes)
            if index == end.offender:
                process.failed = True
                process.kill()
                self.last_output = process.last_output()
                continue
            process.send(GameOver(end.result.value, end.termination.value))
            entrant = self.sides[index].entrant
            renew = entrant.should_restart(pair_ended=self.swapped)
            self.pool.release(entrant.start, process, renew=renew)


def _check_files(entrant: Entrant, failure: BotFailure) -> None:
    """Raise MachineStalled if a bot has crashed for want of files that the ladder unpacked."""
    if isinstance(failure, BotCrash) and (lost := find_lost(entrant.start.folder)):
        raise MachineStalled(
            f"{entrant.name} lost its files in mid-run: {lost} is missing in the cache folder; run "
            "the same command again, which unpacks them"
        ) from failure


def _ending_rules(rules: GameRules, board: Board) -> list[EndingRule]:
    """Return the rules of a game in order; they are asked after moves that leave it open."""
    found: list[EndingRule] = []
    if rules.adjudicate is not None:
        # imported here because it loads the compiler, which other games do not need
        from ladder.match.game.adjudicator import Adjudicator

        found.append(Adjudicator(board, rules.adjudicate))
    return found
