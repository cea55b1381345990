"""One game of a person against a bot, with its bot's process and a thread that waits for it.

Bots run on CPUs that no worker of a run has claimed, where there are any.
"""

import contextlib
import os
import queue
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bots.errors import BotsError
from db.errors import DatabaseError
from db.store import Store
from engine.board import Board
from engine.errors import EngineError
from engine.seeds import SEED_LIMIT
from ladder.errors import BotFailure, LadderError, Stopped, UsageError
from ladder.match.process.confinement import Confinement
from ladder.match.process.cpus import claimed_cpus
from ladder.match.registry.known_launches import unknown_bots
from ladder.runs.budgets import Budgets
from ladder.tools.play.game import BotMove, InteractiveGame, prepare_entrant
from ladder.tools.play.saving import NotSaved, save_game
from ladder.web.errors import Gone, Refused
from reports.html.live.play import play_state

HINT_MS = 1000
"""Time for a hint of a bot that does not know the budget of the game."""
KNOWN_ERRORS = (LadderError, DatabaseError, EngineError, BotsError)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRequest:
    """A game that somebody wants to play."""

    bot: str
    board: Board
    person: int
    """The person's side, 0 moves first."""
    budgets: Budgets
    start: Sequence[int] = ()
    """The columns of the position that it begins with."""
    is_saved: bool = False
    """Whether the finished game is stored, outside of every rating."""


@dataclass(slots=True)
class GameView:
    """The words on the page of a game, beside the board."""

    says: str = "the bot is being started"
    hint: dict[str, Any] | None = None
    saved: str = ""
    """The name under which the finished game is stored."""
    unsaved: str = ""
    """Why the finished game is not stored although it should be, and where it is kept."""
    is_busy: bool = True
    """Whether nothing can be asked for until something is done."""


class OpenGame:
    """One game, in a thread of its own from its bot's start to its end."""

    def __init__(
        self,
        wish: GameRequest,
        database: str,
        confinement: Confinement,
        changed: Callable[[], object],
    ) -> None:
        self.key = secrets.token_urlsafe(12)
        self.wish = wish
        self.version = 0
        self.is_over = False
        """Whether the thread and the bot are gone."""
        self.watchers = 0
        self.last_seen = self.last_used = time.monotonic()
        self.state: dict[str, Any] = {}
        self._database = database
        self._confinement = confinement
        self._changed = changed
        self._shown = GameView()
        self._game: InteractiveGame | None = None
        self._asked: queue.Queue[tuple[str, Any] | None] = queue.Queue()
        self._turn = threading.Lock()
        self._ending = ""
        """Why the game is to end; empty: it is not. What its bots say then does not count."""
        self._publish()
        self.thread = threading.Thread(target=self._live, name=f"game {self.key}", daemon=True)
        self.thread.start()

    # From the loop.

    def ask(self, word: str, value: Any) -> None:
        """Have something done: drop, undo or hint.

        Raises:
            Gone: the game has ended.
            Refused: something else is being done.

        """
        with self._turn:
            if self.is_over:
                raise Gone(self._shown.says)
            if self._shown.is_busy:
                raise Refused("the bot is thinking: wait for its move")
            self._shown.is_busy = True
        self.last_used = time.monotonic()
        self._asked.put((word, value))

    def end(self, says: str) -> None:
        """End the game and its bots, whatever they are doing."""
        if not self.is_over:
            self._ending = self._ending or says
            self._asked.put(None)
            game = self._game
            if game is not None:
                game.abandon()

    # In the thread.

    def _live(self) -> None:
        try:
            _leave_claimed_cpus()
            wish = self.wish
            with contextlib.closing(Store.follow(self._database)) as store:
                bot = store.bots.get(wish.bot)
                if unknown_bots([bot]):
                    raise UsageError(
                        f"{wish.bot} was not registered by you on this machine: start it once with "
                        f"`ladder play {wish.bot}`, which shows what it runs"
                    )
                entrant = prepare_entrant(store, wish.bot, wish.board, wish.budgets)
            with InteractiveGame(
                entrant,
                self._confinement,
                board=wish.board,
                person=wish.person,
                seed=secrets.randbelow(SEED_LIMIT),
                start=wish.start,
            ) as game:
                self._game = game
                game.prepare()
                self._play_on()
                while (asked := self._asked.get()) is not None:
                    self._do(*asked)
        except Stopped:
            self._shown.says = "the server was ended"
        except KNOWN_ERRORS as error:
            self._shown.says = str(error)
        finally:
            self._game = None
            self.is_over = True
            self._shown.says = self._ending or self._shown.says
            self._shown.is_busy = False
            self._publish()

    def _do(self, word: str, value: Any) -> None:
        game = self._game
        assert game is not None  # noqa: S101 - the thread made it
        self._shown.hint = None
        try:
            if word == "drop" and game.is_persons_turn:
                game.drop(value)
            elif word == "undo":
                game.undo()
                self._shown.saved = self._shown.unsaved = ""
            elif word == "hint" and game.is_persons_turn:
                self._shown.says = f"waiting for a hint of {value}"
                self._publish()
                self._shown.hint = _opinion(self._hint(game, value))
        except BotFailure as failure:
            self._shown.hint = {"name": value, "failed": str(failure)}
        except Stopped:
            raise
        except KNOWN_ERRORS as error:
            self._shown.says = str(error)
            self._shown.is_busy = False
            self._publish()
            return
        self._play_on()

    def _hint(self, game: InteractiveGame, name: str) -> BotMove:
        with contextlib.closing(Store.follow(self._database)) as store:
            if unknown_bots([store.bots.get(name)]):
                raise UsageError(f"{name} was not registered by you on this machine")
            try:
                entrant = prepare_entrant(store, name, self.wish.board, self.wish.budgets)
            except UsageError:
                entrant = prepare_entrant(
                    store, name, self.wish.board, Budgets({"time_ms": HINT_MS})
                )
        return game.hint(entrant)

    def _play_on(self) -> None:
        """Have the bot move when it is its turn, and show what came of it."""
        game = self._game
        assert game is not None  # noqa: S101 - the thread made it
        if game.is_bots_turn and not self._ending:
            self._shown.says = f"{self.wish.bot} is thinking"
            self._publish()
            game.reply()
        if self._ending:
            return
        if game.verdict is None:
            self._shown.says = "your move"
        else:
            self._save(game)
            self._shown.says = "; ".join(filter(None, (_ending(game), self._shown.unsaved)))
        self._shown.is_busy = False
        self._publish()

    def _save(self, game: InteractiveGame) -> None:
        """Save a finished game once, if that is wanted."""
        shown = self._shown
        if not self.wish.is_saved or shown.saved or shown.unsaved:
            return
        try:
            key = save_game(game, self._database, lambda: Store.open(self._database, create=False))
        except NotSaved as error:
            shown.unsaved = str(error)
        else:
            shown.saved = f"p{key}"

    def _publish(self) -> None:
        shown = self._shown
        self.state = play_state(
            self._game,
            bot=self.wish.bot,
            board=self.wish.board,
            person=self.wish.person,
            start=self.wish.start,
            says=shown.says,
            hint=shown.hint,
            saved=shown.saved,
            is_busy=shown.is_busy,
            is_over=self.is_over,
            shares_cpu=_shares_cpu(),
        )
        self.version += 1
        self._changed()


def consult(database: str, confinement: Confinement, wish: GameRequest) -> dict[str, Any]:
    """The opinion of a bot about the position of a wish, on this thread; its process ends with it.

    Raises:
        UsageError: the bot was not registered by this user, cannot play there, or failed.

    """
    _leave_claimed_cpus()
    with contextlib.closing(Store.follow(database)) as store:
        if unknown_bots([store.bots.get(wish.bot)]):
            raise UsageError(f"{wish.bot} was not registered by you on this machine")
        entrant = prepare_entrant(store, wish.bot, wish.board, wish.budgets)
    seed = secrets.randbelow(SEED_LIMIT)
    with InteractiveGame(
        entrant, confinement, board=wish.board, person=wish.person, seed=seed, start=wish.start
    ) as game:
        try:
            return _opinion(game.hint(entrant))
        except BotFailure as failure:
            raise UsageError(f"{wish.bot} failed: {failure}") from failure


def _opinion(opinion: BotMove) -> dict[str, Any]:
    info = opinion.info
    return {
        "name": opinion.name,
        "column": opinion.column,
        "ms": round(opinion.elapsed_us / 1000, 1),
        "value": None if info is None else info.value,
        "work": None if info is None else info.simulations or info.nodes,
        "depth": None if info is None else info.depth,
        "proven": None if info is None else info.proven,
    }


def _ending(game: InteractiveGame) -> str:
    verdict = game.verdict
    assert verdict is not None  # noqa: S101 - asked after the end
    how = verdict.termination.value.replace("_", " ")
    points = verdict.result.points2 if game.person == 0 else 2 - verdict.result.points2
    word = ("you lost", "a draw", "you won")[points]
    return f"{word} by {how}" + (f": {verdict.detail}" if verdict.detail else "")


def _leave_claimed_cpus() -> None:
    """Keep this thread, and the bots that it starts, off the CPUs on which pairs are played."""
    free = os.sched_getaffinity(0) - claimed_cpus()
    if free:
        os.sched_setaffinity(0, free)


def _shares_cpu() -> bool:
    """Return whether a run plays on every CPU that this thread's bots may use."""
    own = os.sched_getaffinity(0)
    return own <= claimed_cpus()
