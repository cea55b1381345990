"""The games of people against bots on a server, a few at a time.

A game ends some seconds after its page is closed, or after ten minutes without a move.
"""

import asyncio
import contextlib
import threading
import time
from typing import Any, NamedTuple

from bots.budget import KIND_OF_FIELD
from ladder.errors import UsageError
from ladder.match.process.confinement import Confinement
from ladder.runs.budgets import Budgets
from ladder.web.errors import Busy, NotFound
from ladder.web.live.change_signal import ChangeSignal
from ladder.web.live.events import KEEPALIVE, KEEPALIVE_S, Events, event
from ladder.web.play.open_game import SERVER_STOPPED, GameRequest, OpenGame, ask_for_move


class Patience(NamedTuple):
    """How long abandoned games are kept, in seconds."""

    unseen_s: float = 20.0
    """Time without an open page after which a game ends, long enough to reload the page."""
    idle_s: float = 600.0
    """Time without a move after which a game ends."""
    check_s: float = 2.0
    """Interval at which games are checked."""


DEFAULT_PATIENCE = Patience()


class OpenGames:
    """The games of a server."""

    def __init__(
        self, database: str, confinement: Confinement, max_games: int, patience: Patience
    ) -> None:
        self._patience = patience
        self._database = database
        self._confinement = confinement
        self._max_games = max_games
        self._games: dict[str, OpenGame] = {}
        self._questions = 0
        self._changes = ChangeSignal()

    def start(self, request: GameRequest) -> OpenGame:
        """Start a game. Raises Busy if there are too many."""
        self._check_capacity()
        loop = asyncio.get_running_loop()

        def on_change() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._changes.notify)

        game = OpenGame(request, self._database, self._confinement, on_change)
        self._games[game.key] = game
        return game

    def get(self, key: str) -> OpenGame:
        """Return a game by its key. Raises NotFound."""
        game = self._games.get(key)
        if game is None:
            raise NotFound("there is no such game: it has ended, or the server was restarted")
        return game

    async def ask_for_move(self, request: GameRequest) -> dict[str, Any]:
        """Ask a bot for its move in the position of a request; its process then ends."""
        self._check_capacity()
        self._questions += 1
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[dict[str, Any]] = loop.create_future()

        def ask() -> None:
            try:
                found: object = ask_for_move(self._database, self._confinement, request)
            except BaseException as error:
                found = error

            def set_answer() -> None:
                if answer.cancelled():
                    return
                if isinstance(found, BaseException):
                    answer.set_exception(found)
                else:
                    answer.set_result(found)  # type: ignore[arg-type]

            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(set_answer)

        threading.Thread(target=ask, name="question", daemon=True).start()
        try:
            return await answer
        finally:
            self._questions -= 1

    async def states(self, game: OpenGame) -> Events:
        """Yield the events of a game's page."""
        game.watchers += 1
        seen = -1
        try:
            while True:
                game.last_seen = time.monotonic()
                count = self._changes.count
                if game.version != seen:
                    seen = game.version
                    yield event("state", game.state)
                    continue
                if not await self._changes.wait(count, KEEPALIVE_S):
                    yield KEEPALIVE
        finally:
            game.watchers -= 1
            game.last_seen = time.monotonic()

    async def end_abandoned(self) -> None:
        """End games without a page or a move, until cancelled."""
        while True:
            await asyncio.sleep(self._patience.check_s)
            now = time.monotonic()
            for key, game in list(self._games.items()):
                unseen = not game.watchers and now - game.last_seen > self._patience.unseen_s
                if unseen:
                    game.end("the game was ended: its page was closed")
                    if game.is_over:
                        del self._games[key]
                elif now - game.last_used > self._patience.idle_s:
                    minutes = self._patience.idle_s / 60
                    game.end(f"the game was ended after {minutes:.0f} minutes without a move")

    def close(self) -> None:
        """End all games and wait a moment for their bots."""
        games = list(self._games.values())
        for game in games:
            game.end(SERVER_STOPPED)
        for game in games:
            game.thread.join(0.5)

    def _check_capacity(self) -> None:
        busy = sum(not game.is_over for game in self._games.values()) + self._questions
        if not self._max_games:
            raise Busy("this server starts no bots: restart it with `ladder serve --players 4`")
        if busy >= self._max_games:
            raise Busy(
                f"{busy} bots already play against people, which is this server's limit: finish a "
                "game, or restart the server with a larger `ladder serve --players N`"
            )


def budgets_of(kind: str, amount: int) -> Budgets:
    """Return a budget of a kind, such as ``time_ms`` or ``simulations``. Raises UsageError."""
    if kind not in KIND_OF_FIELD:
        raise UsageError(f"unknown kind of budget: choose one of {', '.join(KIND_OF_FIELD)}")
    return Budgets({kind: amount})
