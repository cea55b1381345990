"""Registering a bot: it must start, shake hands and play a game against `random` first."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bots.protocol import Budget, BudgetKind
from db.records import Entrant, GameRecord, Launch, PairPlan, Restart
from db.rows import NewBot, NewRevision
from db.store import Store
from engine.board import Board
from engine.errors import EngineError
from engine.result import Result
from ladder.boards import trial_boards
from ladder.botpool import BotPool
from ladder.errors import BotFailure, UsageError
from ladder.referee import play_game
from ladder.registry import host_launch
from ladder.specs import Made, read_spec

TRIAL_BUDGETS: dict[BudgetKind, Budget] = {
    "time": Budget(time_ms=100),
    "simulations": Budget(simulations=100),
    "nodes": Budget(nodes=10_000),
    "depth": Budget(depth=2),
    "any": Budget(time_ms=100),
}
TRIAL_MARGIN_MS = 10_000
"""A trial tells how long a bot takes; only a hung one fails by the clock."""
NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@+")


@dataclass(frozen=True, slots=True)
class Trial:
    """One game of a bot against `random`."""

    board: Board
    won: bool
    plies: int
    mean_ms: float
    max_ms: float


@dataclass(frozen=True, slots=True)
class Found:
    """What a check found out about a bot."""

    name: str
    """As its hello says."""
    version: str
    budgets: tuple[BudgetKind, ...]
    boards: tuple[str, ...] | None
    trials: tuple[Trial, ...]


def examine(
    store: Store, name: str, spec: str, *, based_on: str | None, note: str, folder: Path
) -> tuple[NewBot, Found]:
    """What to store of a new bot, once it has passed its check; stores nothing itself.

    Raises:
        UsageError: the name cannot be used, or the bot failed its check; the message says how.
        SpecError: the specification cannot be read.

    """
    if not name or not NAME_CHARACTERS.issuperset(name):
        raise UsageError(f"a bot's name is letters, digits and ._-@+ without spaces, got {name!r}")
    known = {bot.name: bot for bot in store.bots(include_retired=True)}
    if based_on is not None and based_on not in known:
        raise UsageError(f"--based-on {based_on}: no bot of that name is registered")
    made = read_spec(spec, folder)
    if name in known:
        same = known[name].revision.content_hash == made.content_hash
        state = "with the same content" if same else "with other content: register a new name"
        raise UsageError(f"a bot called {name} is already registered {state}")
    found = check(made)
    revision = NewRevision(
        content_hash=made.content_hash,
        launch=made.launch,
        budgets=found.budgets,
        boards=found.boards,
        files=made.files,
    )
    new = NewBot(
        name=name,
        family=made.family,
        spec=spec,
        based_on=based_on,
        change=note,
        revision=revision,
    )
    return new, found


def check(made: Made) -> Found:
    """Start a bot, shake hands, and let it play one game on each kind of board that it claims.

    Each game has a fresh process, and none is stored.

    Raises:
        UsageError: it failed; the message says how.

    """
    launch = made.launch
    if launch.player is not None:
        launch = host_launch(launch.player)
    launch = msgspec.structs.replace(launch, restart=Restart.GAME)
    pool = BotPool()
    try:
        hello = pool.greet(launch)
        trials = [_trial(launch, hello.budgets, board, pool) for board in _claimed(hello.boards)]
    except BotFailure as failure:
        raise UsageError(f"the bot failed its check: {failure}") from failure
    finally:
        pool.close()
    return Found(hello.name, hello.version, hello.budgets, hello.boards, tuple(trials))


def _claimed(boards: Sequence[str] | None) -> list[Board]:
    try:
        claimed = trial_boards(boards)
    except EngineError as error:
        raise UsageError(f"the bot's hello lists a board that is none: {error}") from error
    if not claimed:
        raise UsageError("the bot's hello lists no board that it can play")
    return claimed


def _trial(launch: Launch, budgets: Sequence[BudgetKind], board: Board, pool: BotPool) -> Trial:
    if not budgets:
        raise UsageError("the bot's hello lists no budget that it can play on")
    budget = TRIAL_BUDGETS[budgets[0]]
    opponent = host_launch("random")
    plan = PairPlan(
        id=0,
        number=0,
        a=Entrant(revision=0, name="the bot", launch=launch, budget=budget),
        b=Entrant(revision=1, name="random", launch=opponent, budget=budget),
        board=str(board),
        board_class=str(board),
        opening=(),
        seed=1,
        margin_ms=TRIAL_MARGIN_MS,
    )
    game: GameRecord = play_game(plan, pool, swapped=False)
    if game.termination.is_forfeit and game.result is Result.LOSS:
        raise UsageError(f"the bot failed its check on {board} ({game.termination}): {game.detail}")
    stats = game.sides[0]
    return Trial(
        board=board,
        won=game.result is Result.WIN,
        plies=len(game.moves),
        mean_ms=stats.time_us / max(1, stats.moves) / 1000,
        max_ms=stats.max_us / 1000,
    )


def describe(found: Found) -> list[str]:
    """What a check found, line by line."""
    boards = "every board" if found.boards is None else ", ".join(found.boards)
    lines = [
        f"says hello as {found.name} {found.version}".rstrip(),
        f"plays on {', '.join(found.budgets)}; {boards}",
    ]
    lines += [
        f"{trial.board}: {'beat' if trial.won else 'did not beat'} random in {trial.plies} plies, "
        f"{trial.mean_ms:.1f} ms a move, {trial.max_ms:.1f} at most"
        for trial in found.trials
    ]
    return lines
