"""A game of a person against a bot, with a thread that waits for the bot's process.

Bots run on CPUs that no worker of a run has claimed, if there are any.
"""

import contextlib
import os
import queue
import secrets
import threading
import time
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta

from bots.errors import BotsError
from db.errors import DatabaseError
from db.store import RetryPolicy, Store
from engine.board import Board
from engine.errors import EngineError
from engine.seeds import SEED_LIMIT
from ladder.errors import BotFailure, LadderError, Refused, Stopped, UsageError
from ladder.match.process.cpus import claimed_cpus
from ladder.match.process.sandbox import Confinement
from ladder.results.analysis.division import format_columns
from ladder.runs.budgets import Budgets
from ladder.tools.play.game import BotMove, BotResignation, InteractiveGame, prepare_entrant
from reports.html.live.games import play_state
from reports.layout.format import as_sentence
from reports.play import ending

BUSY_S = 5.0
"""Time to wait for another process that writes to the database: a visitor waits, too."""
HINT_MS = 1000
"""Time for a hint of a bot that does not support the game's budget."""
SERVER_STOPPED = "the server was stopped"
KNOWN_ERRORS = (LadderError, DatabaseError, EngineError, BotsError)


Side = Literal["first", "second", "mover"]
"""The person's side; ``mover`` is the side to move in a stored position."""


class GameForm(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The fields of the form for a game."""

    bot: str
    kind: Literal["time_ms", "simulations", "nodes", "depth"] = "time_ms"
    amount: Annotated[int, Meta(ge=1, le=10**9)] = 1000
    board: str = "standard"
    side: Side = "first"
    game: str | None = None
    """A stored game to start from."""
    ply: Annotated[int, Meta(ge=0)] | None = None
    """The ply of the stored game to start from; None for its end."""
    save: bool = False
    """Whether the finished game is stored, unrated."""
    column: int | None = None
    """The person's first move; None if it comes later."""
    replaced: str = ""
    """The key of a game that ends when this one starts."""


class StartPosition(NamedTuple):
    """Where a game begins, and the person's side; 0 moves first."""

    board: Board
    columns: tuple[int, ...]
    """The columns played before."""
    person: int


class GameRequest(NamedTuple):
    """A request for a game."""

    form: GameForm
    start: StartPosition


@dataclass(slots=True)
class GameView:
    """What the page of a game shows beside the board."""

    status: str = "The bot is starting"
    hint: dict[str, Any] | None = None
    shows_values: bool = False
    """Whether the true values of the columns are shown before each of the person's moves."""
    values: list[str | None] | None = None
    """The true value of each column, such as ``win 5``; None for full columns and open values."""
    saved: int | None = None
    """The id of the stored game."""
    unsaved: str = ""
    """Why the finished game could not be stored."""
    is_busy: bool = True
    """Whether a request is being processed, so that others are refused."""


class OpenGame:
    """A game with a thread of its own, from the start of its bot to its end."""

    def __init__(
        self,
        request: GameRequest,
        database: str,
        confinement: Confinement,
    ) -> None:
        self.key = secrets.token_urlsafe(12)
        self.request = request
        self.version = 0
        self.is_over = False
        """Whether the thread and the bot have ended."""
        self.last_seen = self.last_used = time.monotonic()
        self.state: dict[str, Any] = {}
        self._budgets = Budgets({request.form.kind: request.form.amount})
        self._database = database
        self._confinement = confinement
        self._view = GameView()
        self._game: InteractiveGame | None = None
        self._actions: queue.Queue[tuple[str, Any] | None] = queue.Queue()
        """Actions of the person; None ends the game."""
        self._end_reason = ""
        """Why the game is being ended, if it is; failures of its bots are then ignored."""
        self._publish()
        self.thread = threading.Thread(target=self._run, name=f"game {self.key}", daemon=True)
        self.thread.start()

    # Called in the server's loop.

    def submit(self, action: str, value: Any = None) -> None:
        """Queue an action: drop, undo, hint, values or analyse.

        Raises:
            Refused: the game has ended, or another action is being processed.

        """
        if self.is_over:
            raise Refused(self._view.status, 410)
        if self._view.is_busy:
            raise Refused("the bot is thinking: wait for its move")
        self._view.is_busy = True
        self.last_used = time.monotonic()
        self._actions.put((action, value))

    def end(self, reason: str) -> None:
        """End the game and its bots."""
        if not self.is_over:
            self._end_reason = self._end_reason or reason
            self._actions.put(None)
            game = self._game
            if game is not None:
                game.abandon()

    # Called in the game's thread.

    def _run(self) -> None:
        try:
            _leave_claimed_cpus()
            form, start = self.request
            with contextlib.closing(Store.follow(self._database)) as store:
                entrant = prepare_entrant(store, form.bot, start.board, self._budgets)
            with InteractiveGame(
                entrant,
                self._confinement,
                board=start.board,
                person=start.person,
                seed=secrets.randbelow(SEED_LIMIT),
                start=start.columns,
            ) as game:
                self._game = game
                game.prepare()
                if form.column is not None:
                    game.drop(form.column)
                self._continue_game()
                while (action := self._actions.get()) is not None:
                    self._process(*action)
        except Stopped:
            self._view.status = SERVER_STOPPED
        except KNOWN_ERRORS as error:
            self._view.status = str(error)
        finally:
            self._game = None
            self.is_over = True
            self._view.status = self._end_reason or self._view.status
            self._view.is_busy = False
            self._publish()

    def _process(self, action: str, value: Any) -> None:
        game = self._game
        assert game is not None  # noqa: S101 - the thread made it
        self._view.hint = self._view.values = None
        try:
            if action == "drop" and game.is_persons_turn:
                game.drop(value)
            elif action == "undo":
                game.undo()
                self._view.saved, self._view.unsaved = None, ""
            elif action == "hint" and game.is_persons_turn:
                self._view.status = f"Waiting for a hint from {value}"
                self._publish()
                self._view.hint = _move_document(self._hint(game, value))
            elif action == "analyse" and game.verdict is not None:
                self._save(game)
            elif action == "values":
                self._view.shows_values = not self._view.shows_values
        except BotFailure as failure:
            self._view.hint = {"name": value, "failed": str(failure)}
        except Stopped:
            raise
        except KNOWN_ERRORS as error:
            self._view.status = str(error)
            self._view.is_busy = False
            self._publish()
            return
        self._continue_game()

    def _hint(self, game: InteractiveGame, name: str) -> BotMove | BotResignation:
        board = self.request.start.board
        with contextlib.closing(Store.follow(self._database)) as store:
            try:
                entrant = prepare_entrant(store, name, board, self._budgets)
            except UsageError:
                entrant = prepare_entrant(store, name, board, Budgets({"time_ms": HINT_MS}))
        return game.hint(entrant)

    def _continue_game(self) -> None:
        """Let the bot move if it is its turn, solve the position, and publish the new state."""
        game = self._game
        assert game is not None  # noqa: S101 - the thread made it
        if game.is_bots_turn and not self._end_reason:
            self._view.status = f"{self.request.form.bot} is thinking"
            self._publish()
            game.reply()
        if self._view.shows_values and game.is_persons_turn and not self._end_reason:
            self._view.status = "Solving the position"
            self._publish()
            self._view.values = format_columns(game.column_values())
        if self._end_reason:
            return
        if game.verdict is None:
            self._view.status = "Your move"
        else:
            if self.request.form.save:
                self._save(game)
            self._view.status = "; ".join(filter(None, (ending(game), self._view.unsaved)))
        self._view.is_busy = False
        self._publish()

    def _save(self, game: InteractiveGame) -> None:
        """Save the finished game once."""
        view = self._view
        if view.saved or view.unsaved:
            return
        try:
            with open_to_write(self._database) as store:
                view.saved = store.plays.add(game.record())
        except DatabaseError as error:
            view.unsaved = f"the game was not saved: {error}"

    def _publish(self) -> None:
        view = self._view
        bot, start = self.request.form.bot, self.request.start
        self.state = {
            **play_state(
                self._game,
                bot=bot,
                board=start.board,
                person=start.person,
                start=start.columns,
                is_free=not (self.is_over or view.is_busy),
            ),
            "says": as_sentence(view.status, (bot,)),
            "hint": view.hint,
            "shows_values": view.shows_values,
            "values": view.values,
            "saved": view.saved,
            "busy": view.is_busy,
            "over": self.is_over,
        }
        self.version += 1


def _move_document(move: BotMove | BotResignation) -> dict[str, Any]:
    if isinstance(move, BotResignation):
        return {"name": move.name, "resigns": True}
    info = move.info
    return {
        "name": move.name,
        "column": move.column,
        "ms": round(move.elapsed_us / 1000, 1),
        "value": None if info is None else info.value,
        "simulations": None if info is None else info.simulations,
        "nodes": None if info is None else info.nodes,
        "depth": None if info is None else info.depth,
        "proven": None if info is None else info.proven,
    }


def _leave_claimed_cpus() -> None:
    """Keep this thread and the bots that it starts off the CPUs that play pairs."""
    free = os.sched_getaffinity(0) - claimed_cpus()
    if free:
        os.sched_setaffinity(0, free)


def open_to_write(where: str) -> Store:
    """Open the database for a change of a visitor. Raises DatabaseError."""
    return Store.open(where, create=False, busy_s=BUSY_S, retry_policy=RetryPolicy(BUSY_S))
