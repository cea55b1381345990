"""The trial of a bot before it is registered: a hello, and a game against `random` on each kind
of board that it claims. Nothing of it is stored.
"""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
from ladder.match.process.failures import to_one_line
from ladder.match.specs.board_support import FORBIDDEN_ONLY, TRIAL_BOARDS, trial_boards
from ladder.match.specs.start_command import builtin_launch, make_entrant, make_start

TRIAL_MS = 100
"""The time per move of a trial."""
OTHER_MS = 25
"""The time per move of another game of a bot that took longer than it was given."""
SAME = 0.75
"""Share of its time that a bot still takes when given a quarter, if its time is fixed."""
TRIAL_BUDGETS: dict[BudgetKind, Budget] = {
    "time": Budget(time_ms=TRIAL_MS),
    "simulations": Budget(simulations=100),
    "nodes": Budget(nodes=10_000),
    "depth": Budget(depth=2),
    "any": Budget(time_ms=TRIAL_MS),
}
TRIAL_MARGIN_MS = 10_000
"""A trial tells how long a bot takes; only a hung one fails by the clock."""
MARGIN_MS = 50
"""How far over its budget a bot may be without counting as one that needs more."""
QUICK_MS = 20
"""A bot that never takes longer plays under any budget, with the margin that every run gives."""
COURSE_HOSTS = ("thu", "saiblo")
"""Their bots are never told the time, and were written for boards with a forbidden cell."""


@dataclass(frozen=True, slots=True)
class TrialGame:
    """One game of a bot against `random`."""

    board: Board
    won: bool
    times_us: tuple[int, ...]
    """Wall time of each move of the bot."""
    plies: int

    @property
    def mean_ms(self) -> float:
        """Mean wall time of its moves."""
        return statistics.fmean(self.times_us) / 1000 if self.times_us else 0.0

    @property
    def max_ms(self) -> float:
        """Wall time of its slowest move."""
        return max(self.times_us, default=0) / 1000


@dataclass(frozen=True, slots=True)
class TrialResult:
    """The findings of a trial."""

    name: str
    """The name in its hello."""
    version: str
    budgets: tuple[BudgetKind, ...]
    boards: tuple[str, ...] | None
    """The boards in its hello, or fewer where it failed."""
    trials: tuple[TrialGame, ...]
    min_time_ms: int | None = None
    """Milliseconds that it takes per move under any budget; None: it keeps to its budget."""
    left_out: str = ""
    """Why `boards` is less than the bot claims, in one sentence."""
    over_budget: str = ""
    """How far it exceeds its time budget, where the excess grows with the budget."""


def try_out(
    launch: Launch,
    budgets: tuple[BudgetKind, ...] | None,
    confinement: Confinement,
    *,
    name: str = "bot",
    report: Callable[[str], None] | None = None,
) -> TrialResult:
    """Start a bot, shake hands, and let it play one game on each kind of board that it claims.

    Each game has a fresh process, and none is stored.

    Args:
        launch: how to start it, as it is stored.
        budgets: what it plays on; None: what its hello says.
        confinement: its bounds.
        name: the bot's, for its log.
        report: called with a sentence about a bot that is silent for long.

    Raises:
        UsageError: it failed; the message says how.

    """
    course = launch.host in COURSE_HOSTS
    pool = BotPool(confinement)
    left_out = ""
    trials: list[TrialGame] = []
    try:
        hello = pool.fetch_hello(make_start(launch), name, report=report)
        budgets = budgets or hello.budgets
        boards = hello.boards
        for board in sorted(_claimed(boards), key=lambda each: course and each.forbidden is None):
            try:
                trials.append(_trial(launch, budgets, board, pool, name))
            except UsageError as failure:
                # A course program may rightly rely on the forbidden cell that its boards have.
                if not course or board.forbidden is not None:
                    raise
                left_out, boards = _only_forbidden(board, failure), (FORBIDDEN_ONLY,)
        timed = course or TRIAL_BUDGETS[budgets[0]].time_ms is not None
        needs = [needed_ms(trial.times_us, told=not course) for trial in trials] if timed else []
        least = max((need for need in needs if need is not None), default=None)
        over_budget = ""
        if least is not None and not course:
            slowest = max(trials, key=lambda trial: trial.max_ms)
            other = _game(launch, Budget(time_ms=OTHER_MS), slowest.board, pool, name)
            over_budget = exceeded(slowest.max_ms, other.max_ms)
    except BotFailure as failure:
        raise UsageError(f"the bot failed its check: {failure}") from failure
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


def _only_forbidden(board: Board, failure: UsageError) -> str:
    """Return the sentence about a course program that needs the forbidden cell of its boards."""
    cause = to_one_line(str(failure)).partition("): ")[2] or str(failure)
    return (
        f"plays only boards with a forbidden cell, as the course's are: on {board}, which has "
        f"none, it failed ({cause.partition(';')[0]})"
    )


def exceeded(trial_ms: float, other_ms: float) -> str:
    """Return the sentence about a bot whose time grows with its budget; "" if it does not.

    Args:
        trial_ms: its slowest move when given `TRIAL_MS`.
        other_ms: its slowest move when given `OTHER_MS`.

    """
    if other_ms > SAME * trial_ms:
        return ""
    return (
        f"takes {trial_ms:.0f} ms a move when given {TRIAL_MS} ms, and {other_ms:.0f} ms when "
        f"given {OTHER_MS} ms: it does not keep to its budget, and will lose games by timeout"
    )


def needed_ms(times_us: Sequence[int], *, told: bool) -> int | None:
    """The time per move that a bot needs, from the times of its moves in a trial.

    Args:
        times_us: wall times of its moves.
        told: whether it was told its budget of `TRIAL_MS`.

    Returns:
        Milliseconds; None when it needs no more than it is given.

    """
    longest_ms = math.floor(max(times_us, default=0) / 1000)
    kept = longest_ms <= TRIAL_MS + MARGIN_MS if told else longest_ms < QUICK_MS
    return None if kept else longest_ms


def found_in_catalogue(player: str, budgets: tuple[BudgetKind, ...]) -> TrialResult:
    """A player of this installation as it stands in the catalogue: no trial could tell more."""
    return TrialResult(player, "", budgets, boards=None, trials=())


def try_options(launch: Launch, budgets: tuple[BudgetKind, ...]) -> TrialResult:
    """Have a player of this installation built with its options for each kind of board.

    Raises:
        UsageError: it does not take them; the message says why.

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
    return found_in_catalogue(str(launch.player), budgets)


def _claimed(boards: Sequence[str] | None) -> list[Board]:
    try:
        claimed = trial_boards(boards)
    except EngineError as error:
        raise UsageError(f"the bot's hello lists a board that is none: {error}") from error
    if not claimed:
        raise UsageError("the bot's hello lists no board that it can play")
    return claimed


def _trial(
    launch: Launch, budgets: Sequence[BudgetKind], board: Board, pool: BotPool, name: str
) -> TrialGame:
    if not budgets:
        raise UsageError("the bot's hello lists no budget that it can play on")
    trial = _game(launch, TRIAL_BUDGETS[budgets[0]], board, pool, name)
    if trial.max_ms >= QUICK_MS and trial.max_ms > 3 * statistics.median(trial.times_us) / 1000:
        # One slow move: the machine's doing, unless it happens again.
        again = _game(launch, TRIAL_BUDGETS[budgets[0]], board, pool, name)
        trial = min(trial, again, key=lambda each: each.max_ms)
    return trial


def _game(launch: Launch, budget: Budget, board: Board, pool: BotPool, name: str) -> TrialGame:
    plan = PairPlan(
        id=0,
        number=0,
        a=make_entrant(launch, revision=0, name=name, budget=budget, restart=Restart.GAME),
        b=make_entrant(builtin_launch("random"), revision=1, name="random", budget=budget),
        board=str(board),
        board_class=str(board),
        opening=(),
        seed=1,
        margin_ms=TRIAL_MARGIN_MS,
    )
    game: GameRecord = play_game(plan, pool, swapped=False)
    if game.termination.is_forfeit and game.result is Result.LOSS:
        raise UsageError(f"the bot failed its check on {board} ({game.termination}): {game.detail}")
    return TrialGame(
        board=board,
        won=game.result is Result.WIN,
        times_us=tuple(thought.time_us for thought in decode(game.thoughts)[::2]),
        plies=len(game.moves),
    )
