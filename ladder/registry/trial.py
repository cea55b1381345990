"""The trial of a bot before its registration: a hello and games against `random`.

The bot plays at least one game on each kind of board that it claims, and two in one process unless
it is restarted for every game. Nothing is stored.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from bots.budget import Clock
from bots.protocol import Budget
from db.records.budget import format_budget
from db.records.launch import Launch, Restart, Start
from db.records.pairs import PairPlan, PlannedPair
from db.records.thought_blob import decode
from engine.board import Board
from engine.errors import EngineError
from engine.result import Result, Termination
from ladder.errors import BotFailure, BotTimeout, UsageError
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import PairNotes, play_game
from ladder.match.process.failures import STDERR_FOLLOWS, to_one_line
from ladder.match.process.sandbox import Confinement
from ladder.registry.specs.board_support import FORBIDDEN_ONLY, trial_boards
from ladder.registry.specs.start_command import builtin_launch, make_entrant, make_start
from ladder.registry.trial_time import TRIAL_MS, TrialGame, judge_time

TRIAL_BUDGETS: dict[str, Budget] = {
    "simulations": Budget(simulations=100),
    "nodes": Budget(nodes=10_000),
    "depth": Budget(depth=2),
    "clock": Budget(clock=Clock(TRIAL_MS, TRIAL_MS)),
    "overage": Budget(time_ms=TRIAL_MS, overage_ms=TRIAL_MS),
}
"""The budget of a trial by the kind that a bot prefers; others have `TRIAL_MS` per move."""
KAGGLE_TERMS = Budget(time_ms=2000, overage_ms=60_000)
"""The time of ConnectX games on Kaggle."""
WATCHDOG_S = 10.0
"""Deadline of a move under a work budget."""
TRIAL_MARGIN_MS = 10_000
"""So long that only a hanging bot forfeits: a trial measures the time that a bot takes."""
COURSE_HOSTS = ("thu", "saiblo")
"""Hosts of programs written for the course that the boards `thu` come from: they have a forbidden
cell."""
TIMELESS_HOSTS = (*COURSE_HOSTS, "moves")
"""Hosts of programs that do not know their time, unless their hello lists no other budget."""
FILLED_ROWS = 2
"""Rows that are filled before a game with an engine that is too slow for the empty board."""
MANY_GAMES = (
    "one process plays many games: begin anew at each new_game, and exit only at quit; or register "
    "the bot with --restart game"
)

NO_PROTOCOL = (
    "; a program must answer JSON lines (docs/protocol.md), and a Python class is registered as "
    "python:FILE.py:CLASS"
)
"""Advice about a program that ended at `hello` without an error."""


class TrialTimeout(UsageError):
    """A bot gave no answer in its trial, which is no sign of missing files."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    """The result of a trial."""

    name: str
    """The name in its hello."""
    version: str
    budgets: tuple[str, ...]
    boards: tuple[str, ...] | None
    """The boards in its hello without those on which it failed; None: all."""
    trials: tuple[TrialGame, ...]
    min_time_ms: int | None = None
    """Milliseconds that it takes per move under any budget; None if it keeps to its budget, or if
    `over_budget` is set."""
    left_out: str = ""
    """A sentence about boards or positions on which it failed, or ""."""
    over_budget: str = ""
    """A sentence how it exceeds its budget, if the excess grows with the budget, or ""."""
    writes: bool = False
    """Whether it created or changed files in its folder."""
    opened: tuple[str, ...] | None = None
    """Files of its folder that it opened; None if that is unknown."""


def try_out(
    launch: Launch,
    budgets: tuple[str, ...],
    confinement: Confinement,
    *,
    name: str = "bot",
    time_ms: int | None = None,
) -> TrialResult:
    """Read a bot's hello, and let it play at least one game on each kind of claimed board.

    Args:
        launch: how to start the bot.
        budgets: the kinds of budget that it accepts; () for those in its hello.
        confinement: its confinement.
        name: the bot's name, for its log.
        time_ms: time per move; None: Kaggle's for its agents, a short one for other bots.

    Raises:
        UsageError: it failed.

    """
    is_course = launch.host in COURSE_HOSTS
    # The host of a `saiblo:` bot starts its program for every game. Built-in players share one
    # kind of process, with the opponent in a trial, too.
    keeps_process = not (is_course or launch.is_own or launch.restart is Restart.GAME)
    pool = BotPool(confinement)
    play = partial(_play, pool, launch, name)
    left_out = ""
    trials: list[TrialGame] = []
    try:
        hello = pool.fetch_hello(make_start(launch), name)
        budgets, boards = budgets or hello.budgets, hello.boards
        budget = _choose_budget(launch, budgets, time_ms)
        claimed = _claimed_boards(boards)
        if is_course:
            claimed.sort(key=lambda board: board.forbidden is None)
        if keeps_process and len(claimed) == 1:
            claimed *= 2
        for number, board in enumerate(claimed):
            try:
                if keeps_process and number > 0:
                    trials.append(_play_another(pool, make_start(launch), play, budget, board))
                else:
                    restart = Restart.NEVER if keeps_process else launch.restart
                    trials.append(play(budget, board, restart=restart))
            except TrialTimeout:
                if launch.host != "moves" or trials:
                    raise
                plies = FILLED_ROWS * board.columns
                play = partial(play, plies=plies)
                trials.append(play(budget, board, restart=Restart.NEVER))
                left_out = (
                    f"too slow for the empty board: tried from {plies} plies on, so its runs need "
                    f"--opening-plies {plies}"
                )
            except UsageError as failure:
                # Boards of the course have a forbidden cell, so its programs may need one.
                if not is_course or board.forbidden is not None:
                    raise
                boards = (FORBIDDEN_ONLY,)
                cause = to_one_line(str(failure)).partition("): ")[2] or str(failure)
                left_out = (
                    "plays only boards with a forbidden cell, as those of the course: on "
                    f"{board} without one it failed ({cause.partition(';')[0]})"
                )
        pool.close()  # so that each further game has a new process
        knows_budget = launch.host not in TIMELESS_HOSTS or "any" not in budgets
        trials, least, over_budget = judge_time(trials, budget, play, knows_budget=knows_budget)
    except BotFailure as failure:
        kind = TrialTimeout if isinstance(failure, BotTimeout) else UsageError
        has_ended = str(failure).startswith("exited with status 0 when asked for hello")
        message = f"the bot failed its trial game: {failure}"
        raise kind(_insert(message, NO_PROTOCOL if has_ended else "")) from failure
    finally:
        pool.close()
    return TrialResult(
        name=hello.name,
        version=hello.version,
        budgets=budgets,
        boards=boards,
        trials=tuple(trials),
        min_time_ms=least,
        left_out=left_out,
        over_budget=over_budget,
    )


def _choose_budget(launch: Launch, budgets: Sequence[str], time_ms: int | None) -> Budget:
    """Return the budget of a trial.

    Raises:
        UsageError: the bot accepts no budget, or no time although one is chosen.

    """
    if not budgets:
        raise UsageError("the bot's hello lists no budget: let it list 'time' or another kind")
    if time_ms is not None:
        if not {"time", "any"}.intersection(budgets):
            kinds = ", ".join(budgets)
            problem = f"the bot's hello lists no time per move, but {kinds}: leave the time out"
            raise UsageError(problem, option="time")
        return Budget(time_ms=time_ms)
    return (
        KAGGLE_TERMS
        if launch.host == "kaggle"
        else TRIAL_BUDGETS.get(budgets[0], Budget(time_ms=TRIAL_MS))
    )


def _insert(message: str, advice: str) -> str:
    """Return a failure's message with advice before the lines of the bot's stderr."""
    what, marker, output = message.partition(STDERR_FOLLOWS)
    return f"{what}{advice}{marker}{output}"


def _claimed_boards(boards: Sequence[str] | None) -> list[Board]:
    try:
        claimed = trial_boards(boards)
    except EngineError as error:
        raise UsageError(f"the bot's hello lists a board that is not valid: {error}") from error
    if not claimed:
        raise UsageError("the bot's hello lists no board: let it list boards, or none at all")
    return claimed


def _play_another(
    pool: BotPool, start: Start, play: Callable[..., TrialGame], budget: Budget, board: Board
) -> TrialGame:
    """Play another game with the process of the game before.

    Raises:
        UsageError: the bot failed, perhaps because its process has played before.

    """
    process = pool.idle_process(start)
    try:
        game = play(budget, board, 1, restart=Restart.NEVER)
    except UsageError as failure:
        play(budget, board, 1)
        raise UsageError(_insert(str(failure), f"; {MANY_GAMES}")) from failure
    if process is None or pool.idle_process(start) is not process:
        raise UsageError(
            "the bot failed its trial: its process ended or wrote a line after a game; "
            + MANY_GAMES
        )
    return game


def _play(
    pool: BotPool,
    launch: Launch,
    name: str,
    budget: Budget,
    board: Board,
    side: int = 0,
    *,
    restart: Restart = Restart.GAME,
    plies: int = 0,
) -> TrialGame:
    """Play one game of a bot, which moves first (0) or second (1), against a random player.

    The game begins after some plies from the left to the right, in which no row of four arises.

    Raises:
        UsageError: the bot failed.

    """
    opening = tuple(ply % board.columns for ply in range(plies))
    plan = PairPlan(
        PlannedPair(0, 1, str(board), str(board), opening, seed=1),
        a=make_entrant(
            launch, revision=0, name=name, budget=budget, restart=restart, kinds=[budget.kind]
        ),
        b=make_entrant(builtin_launch("random"), revision=1, name="random", budget=budget),
        margin_ms=TRIAL_MARGIN_MS,
        watchdog_s=WATCHDOG_S,
    )
    notes = PairNotes()
    game = play_game(plan, pool, swapped=side == 1, notes=notes)
    result = game.result if side == 0 else game.result.mirrored
    if game.termination.is_forfeit and result is Result.LOSS:
        kind = TrialTimeout if game.termination is Termination.TIMEOUT else UsageError
        raise kind(
            f"the bot failed its trial game on {board}, given {format_budget(budget)} "
            f"({game.termination}): {game.detail}"
        )
    thoughts = decode(game.thoughts)[side::2]
    return TrialGame(
        board=board,
        result=result,
        times_us=tuple(thought.time_us for thought in thoughts),
        plies=len(game.moves),
        side=side,
        unusable=notes.unusable.get(plan.a.revision, ""),
    )
