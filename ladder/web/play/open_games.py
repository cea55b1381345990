"""All games of people against bots of a server, a few at a time.

A game ends with the page that shows it: when nobody has looked for some seconds, or nobody has
moved for ten minutes.
"""

import asyncio
import contextlib
import threading
import time
from typing import Any

from bots.budget import KIND_OF_FIELD
from ladder.errors import UsageError
from ladder.match.process.confinement import Confinement
from ladder.runs.budgets import Budgets
from ladder.web.errors import Busy, NotFound
from ladder.web.live.change_signal import ChangeSignal
from ladder.web.live.events import Events, event
from ladder.web.play.open_game import GameRequest, OpenGame, consult

UNSEEN_S = 20.0
"""Without a page that looks, a game ends after so long: enough to load the page again."""
IDLE_S = 600.0
"""Without a move, a game ends after so long."""
LOOK_S = 2.0
"""How often is looked for games to end."""


class OpenGames:
    """All games of a server, a few at a time."""

    def __init__(self, database: str, confinement: Confinement, most: int) -> None:
        self._database = database
        self._confinement = confinement
        self._most = most
        self._games: dict[str, OpenGame] = {}
        self._asking = 0
        self._news = ChangeSignal()

    def begin(self, wish: GameRequest) -> OpenGame:
        """Start a game. Raises Busy when there are as many as may be."""
        self._check_room()
        loop = asyncio.get_running_loop()

        def changed() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._news.ring)

        game = OpenGame(wish, self._database, self._confinement, changed)
        self._games[game.key] = game
        return game

    def get(self, key: str) -> OpenGame:
        """Return a game by its key. Raises NotFound."""
        game = self._games.get(key)
        if game is None:
            raise NotFound("there is no such game: it has ended, or the server was started again")
        return game

    async def consult(self, wish: GameRequest) -> dict[str, Any]:
        """The opinion of a bot about the position of a wish; its process ends with the answer."""
        self._check_room()
        self._asking += 1
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        loop = asyncio.get_running_loop()

        def ask() -> None:
            try:
                found: object = consult(self._database, self._confinement, wish)
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
        """Return the events of a game's page."""
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
    """Return a budget of one kind, such as ``time_ms`` or ``simulations``. Raises UsageError."""
    if kind not in KIND_OF_FIELD:
        raise UsageError(f"a budget is one of {', '.join(KIND_OF_FIELD)}")
    return Budgets({kind: amount})
