"""The games of people against bots on a server, a few at a time.

A game ends a while after its page is closed, or after ten minutes without a move.
"""

import asyncio
import time
from typing import Any, NamedTuple

from bots.budget import KIND_OF_FIELD
from ladder.errors import UsageError
from ladder.match.process.confinement import Confinement
from ladder.runs.budgets import Budgets
from ladder.web.errors import NotFound, Overloaded
from ladder.web.play.open_game import SERVER_STOPPED, GameRequest, OpenGame, ask_for_move


class Patience(NamedTuple):
    """How long abandoned games are kept, in seconds."""

    unseen_s: float = 90.0
    """Time without a request of a page after which a game ends; a browser lets a page in the
    background ask once a minute."""
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

    def start(self, request: GameRequest) -> OpenGame:
        """Start a game. Raises Overloaded if there are too many."""
        self._check_capacity()
        game = OpenGame(request, self._database, self._confinement)
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
        try:
            return await asyncio.to_thread(ask_for_move, self._database, self._confinement, request)
        finally:
            self._questions -= 1

    def see(self, key: str) -> OpenGame:
        """Return a game for its page, which is open now. Raises NotFound."""
        game = self.get(key)
        game.last_seen = time.monotonic()
        return game

    async def end_abandoned(self) -> None:
        """End games without a page or a move, until cancelled."""
        while True:
            await asyncio.sleep(self._patience.check_s)
            now = time.monotonic()
            for key, game in list(self._games.items()):
                if now - game.last_seen > self._patience.unseen_s:
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
            raise Overloaded(
                "this server starts no bots: restart it with `ladder serve --players 4`"
            )
        if busy >= self._max_games:
            raise Overloaded(
                f"{busy} bots already play against people, which is this server's limit: finish a "
                "game, or restart the server with a larger `ladder serve --players N`"
            )


def budgets_of(kind: str, amount: int) -> Budgets:
    """Return a budget of a kind, such as ``time_ms`` or ``simulations``. Raises UsageError."""
    if kind not in KIND_OF_FIELD:
        raise UsageError(f"unknown kind of budget: choose one of {', '.join(KIND_OF_FIELD)}")
    return Budgets({kind: amount})
