"""The games of people against bots on a server, a few at a time.

A game ends a while after its page is closed, or after ten minutes without a move.
"""

import asyncio
import time
from typing import NamedTuple

from ladder.errors import Refused
from ladder.match.process.sandbox import Confinement
from ladder.web.open_game import SERVER_STOPPED, GameRequest, OpenGame


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
NO_BOTS = "this server starts no bots: restart it with `ladder serve --players 4`"


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

    def start(self, request: GameRequest) -> OpenGame:
        """Start a game. Raises Refused if there are too many."""
        replaced = self._games.get(request.form.replaced)
        busy = sum(not game.is_over for game in self._games.values() if game is not replaced)
        if not self._max_games:
            raise Refused(NO_BOTS, 503)
        if busy >= self._max_games:
            raise Refused(
                f"{busy} bots already play against people, which is this server's limit: finish a "
                "game, or restart the server with a larger `ladder serve --players N`",
                503,
            )
        if replaced is not None:
            replaced.end("you began another game")
        game = OpenGame(request, self._database, self._confinement)
        self._games[game.key] = game
        return game

    def get(self, key: str) -> OpenGame:
        """Return a game by its key. Raises Refused."""
        game = self._games.get(key)
        if game is None:
            raise Refused("there is no such game: it has ended, or the server was restarted", 404)
        return game

    def see(self, key: str) -> OpenGame:
        """Return a game for its page, which is open now. Raises Refused."""
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
