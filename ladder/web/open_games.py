"""Games of people against bots, each with its bot's process and a thread that waits for it.

A game ends with the page that shows it: when nobody has looked for some seconds, or nobody has
moved for ten minutes. Bots run on CPUs that no worker of a run has claimed, where there are any.
"""

import asyncio
import contextlib
import os
import queue
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bots.budget import KIND_OF_FIELD
from bots.errors import BotsError
from db.errors import DatabaseError
from db.store import Store
from engine.board import Board
from engine.errors import EngineError
from engine.seeds import SEED_LIMIT
from ladder.errors import BotFailure, LadderError, Stopped, UsageError
from ladder.play.game import GameInPlay, Opinion, entrant_at_the_board
from ladder.process.confinement import Confinement
from ladder.process.cpus import claimed_cpus
from ladder.registry.known_launches import unknown_bots
from ladder.runs.budgets import Budgets
from ladder.web.errors import Busy, Gone, NotFound, Refused
from ladder.web.events import Events, event
from ladder.web.news import News
from reports.html.live.play import play_state

UNSEEN_S = 20.0
"""Without a page that looks, a game ends after so long: enough to load the page again."""
IDLE_S = 600.0
"""Without a move, a game ends after so long."""
LOOK_S = 2.0
"""How often is looked for games to end."""
HINT_MS = 1000
"""Time for a hint of a bot that does not know the budget of the game."""
KNOWN_ERRORS = (LadderError, DatabaseError, EngineError, BotsError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
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
class Shown:
    """The words on the page of a game, beside the board."""

    says: str = "the bot is being started"
    hint: dict[str, Any] | None = None
    saved: str = ""
    """The name under which the finished game is stored."""
    is_busy: bool = True
    """Whether nothing can be asked for until something is done."""


class OpenGame:
    """One game, in a thread of its own from its bot's start to its end."""

    def __init__(self, wish: Wish, database: str, changed: Callable[[], object]) -> None:
        self.key = secrets.token_urlsafe(12)
        self.wish = wish
        self.version = 0
        self.is_over = False
        """Whether the thread and the bot are gone."""
        self.watchers = 0
        self.last_seen = self.last_used = time.monotonic()
        self.state: dict[str, Any] = {}
        self._database = database
        self._changed = changed
        self._shown = Shown()
        self._game: GameInPlay | None = None
        self._asked: queue.Queue[tuple[str, Any] | None] = queue.Queue()
        self._turn = threading.Lock()
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
            self._shown.says = says
            self._asked.put(None)
            if self._game is not None:
                self._game.abandon()

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
                entrant = entrant_at_the_board(store, wish.bot, wish.board, wish.budgets)
            with GameInPlay(
                entrant,
                Confinement(),
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
            self._shown.is_busy = False
            self._publish()

    def _do(self, word: str, value: Any) -> None:
        game = self._game
        assert game is not None  # noqa: S101 - the thread made it
        self._shown.hint = None
        try:
            if word == "drop" and game.persons_turn:
                game.drop(value)
            elif word == "undo":
                game.undo()
                self._shown.saved = ""
            elif word == "hint" and game.persons_turn:
                self._shown.says = f"{value} is thinking about a hint"
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

    def _hint(self, game: GameInPlay, name: str) -> Opinion:
        with contextlib.closing(Store.follow(self._database)) as store:
            if unknown_bots([store.bots.get(name)]):
                raise UsageError(f"{name} was not registered by you on this machine")
            try:
                entrant = entrant_at_the_board(store, name, self.wish.board, self.wish.budgets)
            except UsageError:
                entrant = entrant_at_the_board(
                    store, name, self.wish.board, Budgets({"time_ms": HINT_MS})
                )
        return game.hint(entrant)

    def _play_on(self) -> None:
        """Have the bot move when it is its turn, and show what came of it."""
        game = self._game
        assert game is not None  # noqa: S101 - the thread made it
        if game.bots_turn:
            self._shown.says = f"{self.wish.bot} is thinking"
            self._publish()
            game.reply()
        self._shown.says = "your move" if game.verdict is None else _ending(game)
        if game.verdict is not None and self.wish.is_saved and not self._shown.saved:
            with contextlib.closing(Store.open(self._database, create=False)) as store:
                self._shown.saved = f"p{store.human_games.add(game.record())}"
        self._shown.is_busy = False
        self._publish()

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


class OpenGames:
    """All games of a server, a few at a time."""

    def __init__(self, database: str, most: int) -> None:
        self._database = database
        self._most = most
        self._games: dict[str, OpenGame] = {}
        self._asking = 0
        self._news = News()

    def begin(self, wish: Wish) -> OpenGame:
        """Start a game. Raises Busy when there are as many as may be."""
        self._check_room()
        loop = asyncio.get_running_loop()

        def changed() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._news.ring)

        game = OpenGame(wish, self._database, changed)
        self._games[game.key] = game
        return game

    def get(self, key: str) -> OpenGame:
        """A game by its key. Raises NotFound."""
        game = self._games.get(key)
        if game is None:
            raise NotFound("there is no such game: it has ended, or the server was started again")
        return game

    async def consult(self, wish: Wish) -> dict[str, Any]:
        """The opinion of a bot about the position of a wish; its process ends with the answer."""
        self._check_room()
        self._asking += 1
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        loop = asyncio.get_running_loop()

        def ask() -> None:
            try:
                found: object = _consult(self._database, wish)
            except BaseException as error:
                found = error

            def hand_over() -> None:
                if answer.cancelled():
                    return
                if isinstance(found, BaseException):
                    answer.set_exception(found)
                else:
                    answer.set_result(found)  # type: ignore[arg-type]

            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(hand_over)

        threading.Thread(target=ask, name="question", daemon=True).start()
        try:
            return await answer
        finally:
            self._asking -= 1

    async def states(self, game: OpenGame) -> Events:
        """The events of a game's page."""
        game.watchers += 1
        seen = -1
        try:
            while True:
                game.last_seen = time.monotonic()
                news = self._news.count
                if game.version != seen:
                    seen = game.version
                    yield event("state", game.state)
                    continue
                if not await self._news.wait(news, 5.0):
                    yield b": still here\n\n"
        finally:
            game.watchers -= 1
            game.last_seen = time.monotonic()

    async def tidy(self) -> None:
        """End what nobody looks at or plays any more, again and again."""
        while True:
            await asyncio.sleep(LOOK_S)
            now = time.monotonic()
            for key, game in list(self._games.items()):
                unseen = not game.watchers and now - game.last_seen > UNSEEN_S
                if unseen:
                    game.end("the game was ended: its page was closed")
                    if game.is_over:
                        del self._games[key]
                elif now - game.last_used > IDLE_S:
                    game.end("the game was ended after ten minutes without a move")

    def close(self) -> None:
        """End all games and wait a moment for their bots."""
        games = list(self._games.values())
        for game in games:
            game.end("the server was ended")
        for game in games:
            game.thread.join(0.5)

    def _check_room(self) -> None:
        living = sum(not game.is_over for game in self._games.values()) + self._asking
        if living >= self._most:
            raise Busy(
                f"{living} bots play against people already, and no more are allowed: finish a "
                "game, or start the server with --players"
            )


def budgets_of(kind: str, amount: int) -> Budgets:
    """A budget of one kind, such as ``time_ms`` or ``simulations``. Raises UsageError."""
    if kind not in KIND_OF_FIELD:
        raise UsageError(f"a budget is one of {', '.join(KIND_OF_FIELD)}")
    return Budgets({kind: amount})


def _consult(database: str, wish: Wish) -> dict[str, Any]:
    _leave_claimed_cpus()
    with contextlib.closing(Store.follow(database)) as store:
        if unknown_bots([store.bots.get(wish.bot)]):
            raise UsageError(f"{wish.bot} was not registered by you on this machine")
        entrant = entrant_at_the_board(store, wish.bot, wish.board, wish.budgets)
    seed = secrets.randbelow(SEED_LIMIT)
    with GameInPlay(
        entrant, Confinement(), board=wish.board, person=wish.person, seed=seed, start=wish.start
    ) as game:
        try:
            return _opinion(game.hint(entrant))
        except BotFailure as failure:
            raise UsageError(f"{wish.bot} failed: {failure}") from failure


def _opinion(opinion: Opinion) -> dict[str, Any]:
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


def _ending(game: GameInPlay) -> str:
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
    """Whether a run plays on every CPU that this thread's bots may use."""
    own = os.sched_getaffinity(0)
    return own <= claimed_cpus()
