"""The trial of a bot before its registration: a hello and games against `random`.

The bot plays at least one game on each kind of board that it claims. Nothing is stored.
"""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bots.budget import Clock
from bots.protocol import READY_S, Budget, BudgetKind
from db.records.games import GameRecord
from db.records.launch import Launch
from db.records.pairs import PairPlan
from db.records.restart import Restart
from db.records.thought_blob import decode
from engine.board import Board
from engine.errors import EngineError
from engine.result import Result
from ladder.errors import BotFailure, UsageError
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.new_game import make_new_game
from ladder.match.game.referee import play_game
from ladder.match.process.confinement import BUILT_IN_ONLY, Confinement
from ladder.match.process.failures import STDERR_FOLLOWS, to_one_line
from ladder.match.specs.board_support import FORBIDDEN_ONLY, TRIAL_BOARDS, trial_boards
from ladder.match.specs.start_command import builtin_launch, make_entrant, make_start

TRIAL_MS = 100
"""The time per move of a trial."""
OTHER_MS = 25
"""The time per move of a further game, if a bot exceeded `TRIAL_MS` by more than `MARGIN_MS`."""
FIXED_SHARE = 0.75
"""A bot that still takes this share of its time when given a quarter of the budget ignores it."""
TRIAL_BUDGETS: dict[BudgetKind, Budget] = {
    "time": Budget(time_ms=TRIAL_MS),
    "simulations": Budget(simulations=100),
    "nodes": Budget(nodes=10_000),
    "depth": Budget(depth=2),
    "clock": Budget(clock=Clock(TRIAL_MS, TRIAL_MS)),
    "overage": Budget(time_ms=TRIAL_MS, overage_ms=TRIAL_MS),
    "any": Budget(time_ms=TRIAL_MS),
}
TRIAL_MARGIN_MS = 10_000
"""So long that only a hanging bot forfeits: a trial measures the time that a bot takes."""
MARGIN_MS = 50
"""A bot that exceeds its budget by more than this needs a larger budget."""
SLEEPING_SHARE = 0.05
"""A bot that computes for less of a move than this sleeps, so no other program makes it slow."""
QUICK_MS = 20
"""A bot that never takes longer fits any budget, thanks to the margin of every run."""
COURSE_HOSTS = ("thu", "saiblo")
"""Hosts of programs written for "the course": the one that the variant `thu` comes from. They do
not know their time, and were written for boards with a forbidden cell."""


@dataclass(frozen=True, slots=True)
class TrialGame:
    """One game of a bot against `random`."""

    board: Board
    won: bool
    times_us: tuple[int, ...]
    """Wall time of each move of the bot."""
    own_us: tuple[int, ...]
    """The same without the time that other programs took from it; see `own_time_us`."""
    plies: int

    @property
    def mean_ms(self) -> float:
        """Mean wall time of its moves."""
        return statistics.fmean(self.times_us) / 1000 if self.times_us else 0.0

    @property
    def max_ms(self) -> float:
        """Wall time of its slowest move."""
        return max(self.times_us, default=0) / 1000

    @property
    def own_ms(self) -> float:
        """Own time of its slowest move."""
        return max(self.own_us, default=0) / 1000


@dataclass(frozen=True, slots=True)
class TrialResult:
    """The result of a trial."""

    name: str
    """The name in its hello."""
    version: str
    budgets: tuple[BudgetKind, ...]
    boards: tuple[str, ...] | None
    """The boards in its hello without those on which it failed; None: all."""
    trials: tuple[TrialGame, ...]
    min_time_ms: int | None = None
    """Milliseconds that it takes per move under any budget; None if it keeps to its budget, or if
    `over_budget` is set."""
    left_out: str = ""
    """A sentence why `boards` is less than the bot claims, or ""."""
    over_budget: str = ""
    """A sentence how it exceeds its budget, if the excess grows with the budget, or ""."""


def try_out(
    launch: Launch,
    budgets: tuple[BudgetKind, ...] | None,
    confinement: Confinement,
    *,
    name: str = "bot",
    report: Callable[[str], None] = lambda _: None,
    margin_ms: int = TRIAL_MARGIN_MS,
    quick_ms: int = QUICK_MS,
) -> TrialResult:
    """Read a bot's hello, and let it play at least one game on each kind of claimed board.

    Each game has a new process, and none is stored.

    Args:
        launch: how to start the bot.
        budgets: the kinds of budget that it accepts; None: those in its hello.
        confinement: its confinement.
        name: the bot's name, for its log.
        report: called from another thread with a sentence about a bot that is silent for long.
        margin_ms: time beyond the budget after which a move is late, in milliseconds.
        quick_ms: a bot that does not know its budget and always takes less fits any.

    Raises:
        UsageError: it failed.

    """
    is_course = launch.host in COURSE_HOSTS
    pool = BotPool(confinement)
    trial = _Trial(launch, name, pool, margin_ms, quick_ms)
    left_out = ""
    trials: list[TrialGame] = []
    try:
        hello = pool.fetch_hello(make_start(launch), name, report=report)
        budgets = budgets or hello.budgets
        boards = hello.boards
        for board in sorted(
            _claimed_boards(boards), key=lambda each: is_course and each.forbidden is None
        ):
            try:
                trials.append(trial.play(budgets, board))
            except UsageError as failure:
                # Boards of the course have a forbidden cell, so its programs may need one.
                if not is_course or board.forbidden is not None:
                    raise
                left_out, boards = _only_forbidden(board, failure), (FORBIDDEN_ONLY,)
        least = None
        if is_course or TRIAL_BUDGETS[budgets[0]].time_ms is not None:
            needs = [
                needed_ms(game.own_us, knows_budget=not is_course, quick_ms=quick_ms)
                for game in trials
            ]
            least = max((need for need in needs if need is not None), default=None)
        over_budget = ""
        if least is not None and not is_course:
            slowest = max(trials, key=lambda game: game.own_ms)
            other = trial.play_once(Budget(time_ms=OTHER_MS), slowest.board)
            over_budget = describe_excess(slowest.own_ms, other.own_ms)
    except BotFailure as failure:
        what, marker, output = str(failure).partition(STDERR_FOLLOWS)
        raise UsageError(
            f"the bot failed its trial game: {what}{_protocol_advice(failure)}{marker}{output}"
        ) from failure
    finally:
        pool.close()
    return TrialResult(
        name=hello.name,
        version=hello.version,
        budgets=budgets,
        boards=boards,
        trials=tuple(trials),
        min_time_ms=None if over_budget else least,
        left_out=left_out,
        over_budget=over_budget,
    )


def _protocol_advice(failure: BotFailure) -> str:
    """Return advice about a program that ended at `hello` without an error."""
    if not str(failure).startswith("exited with status 0 when asked for hello"):
        return ""
    return (
        "; a program must answer JSON lines (docs/protocol.md), and a Python class is registered "
        "as python:FILE.py:CLASS"
    )


def _only_forbidden(board: Board, failure: UsageError) -> str:
    """Return the sentence about a program of the course that fails without a forbidden cell."""
    cause = to_one_line(str(failure)).partition("): ")[2] or str(failure)
    return (
        f"plays only boards with a forbidden cell, as those of the course: on {board} without one "
        f"it failed ({cause.partition(';')[0]})"
    )


def describe_excess(trial_ms: float, other_ms: float) -> str:
    """Return a sentence about a bot whose time exceeds and grows with its budget, or "".

    Args:
        trial_ms: its slowest move when given `TRIAL_MS`.
        other_ms: its slowest move when given `OTHER_MS`.

    """
    if other_ms > FIXED_SHARE * trial_ms:
        return ""
    return (
        f"takes {trial_ms:.0f} ms per move when given {TRIAL_MS} ms, and {other_ms:.0f} ms when "
        f"given {OTHER_MS} ms: it does not keep to its budget, and will lose games by timeout"
    )


def own_time_us(time_us: int, cpu_us: int | None) -> int:
    """Return how long a move would take on a machine without other programs.

    Args:
        time_us: its wall time.
        cpu_us: processor time of the bot in it; None if it was not measured.

    Returns:
        The processor time of a bot that computes, else the wall time.

    """
    if cpu_us is None or cpu_us < SLEEPING_SHARE * time_us:
        return time_us
    return min(time_us, cpu_us)


def needed_ms(
    times_us: Sequence[int], *, knows_budget: bool, quick_ms: int = QUICK_MS
) -> int | None:
    """Return the time per move that a bot needs, from the times of its moves in a trial.

    Args:
        times_us: own times of its moves.
        knows_budget: whether its host passed on the budget of `TRIAL_MS`.
        quick_ms: a bot that does not know its budget and always takes less fits any.

    Returns:
        Milliseconds, or None if it needs no more than its budget.

    """
    longest_ms = math.floor(max(times_us, default=0) / 1000)
    fits = longest_ms <= TRIAL_MS + MARGIN_MS if knows_budget else longest_ms < quick_ms
    return None if fits else longest_ms


def result_from_catalogue(player: str, budgets: tuple[BudgetKind, ...]) -> TrialResult:
    """Return the result for a player of this installation, which needs no trial."""
    return TrialResult(player, "", budgets, boards=None, trials=())


def try_options(launch: Launch, budgets: tuple[BudgetKind, ...]) -> TrialResult:
    """Build a player of this installation with its options on each kind of board.

    Raises:
        UsageError: it refuses its options.

    """
    pool = BotPool(BUILT_IN_ONLY)
    try:
        budget = TRIAL_BUDGETS[budgets[0]]
        entrant = make_entrant(launch, revision=0, name=str(launch.player), budget=budget)
        process = pool.acquire(entrant.start)
        for board in TRIAL_BOARDS:
            question = make_new_game(entrant, board, game="options", side=0, seed=1)
            process.ask(question, timeout_s=READY_S)
        process.kill()
    except BotFailure as failure:
        raise UsageError(f"the player cannot be built: {failure}") from failure
    finally:
        pool.close()
    return result_from_catalogue(str(launch.player), budgets)


def _claimed_boards(boards: Sequence[str] | None) -> list[Board]:
    try:
        claimed = trial_boards(boards)
    except EngineError as error:
        raise UsageError(f"the bot's hello lists a board that is not valid: {error}") from error
    if not claimed:
        raise UsageError("the bot's hello lists no board: let it list boards, or none at all")
    return claimed


class _Trial(NamedTuple):
    """A bot that is tried out."""

    launch: Launch
    name: str
    pool: BotPool
    margin_ms: int
    quick_ms: int

    def play(self, budgets: Sequence[BudgetKind], board: Board) -> TrialGame:
        """Play on a board; a game with a slow move is played again.

        Raises:
            UsageError: the bot accepts no budget, or failed.

        """
        if not budgets:
            raise UsageError("the bot's hello lists no budget: let it list 'time' or another kind")
        game = self.play_once(TRIAL_BUDGETS[budgets[0]], board)
        if game.own_ms >= self.quick_ms and game.own_ms > 3 * statistics.median(game.own_us) / 1000:
            # One slow move may be caused by the machine, so the faster of two games counts.
            again = self.play_once(TRIAL_BUDGETS[budgets[0]], board)
            game = min(game, again, key=lambda each: each.own_ms)
        return game

    def play_once(self, budget: Budget, board: Board) -> TrialGame:
        """Play one game against a random player.

        Raises:
            UsageError: the bot failed.

        """
        entrant = make_entrant(
            self.launch,
            revision=0,
            name=self.name,
            budget=budget,
            restart=Restart.GAME,
            kinds=[budget.kind],
        )
        plan = PairPlan(
            id=0,
            number=0,
            a=entrant,
            b=make_entrant(builtin_launch("random"), revision=1, name="random", budget=budget),
            board=str(board),
            board_class=str(board),
            opening=(),
            seed=1,
            margin_ms=self.margin_ms,
        )
        game: GameRecord = play_game(plan, self.pool, swapped=False)
        if game.termination.is_forfeit and game.result is Result.LOSS:
            raise UsageError(
                f"the bot failed its trial game on {board} ({game.termination}): {game.detail}"
            )
        thoughts = decode(game.thoughts)[::2]
        return TrialGame(
            board=board,
            won=game.result is Result.WIN,
            times_us=tuple(thought.time_us for thought in thoughts),
            own_us=tuple(own_time_us(each.time_us, each.cpu_us) for each in thoughts),
            plies=len(game.moves),
        )
