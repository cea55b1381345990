"""The reviews of a server: one at a time, and the results of the latest ones.

A process of its own, which calls `main`, reads a `ReviewRequest` and writes a
`ReviewResult` as JSON. The database's URL may hold a password, so it is no argument, which other
users could read.
"""

import asyncio
import contextlib
import os
import sys
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from bots.errors import BotsError
from bots.parent_death import die_with_parent
from db.errors import DatabaseError
from db.records.games import GameRow
from db.store import Store
from engine.errors import EngineError
from ladder.errors import LadderError, Refused
from ladder.look_ahead import lower_priority
from ladder.own_process import own_command
from ladder.results.analysis.division import GameTruth
from ladder.results.analysis.review import ReviewLimits, review_game, save_review
from ladder.results.conditions import find_game
from ladder.web.open_game import open_to_write
from ladder.web.open_games import NO_BOTS
from reports.html.viewer import viewer_game

COMMAND = own_command(__name__)
LONGEST_S = 600.0
"""Time limit of a review, which takes seconds unless runs use all processors."""
MAX_KEPT = 32
"""Number of reviews to keep, as estimates are not stored in the database."""


class ReviewRequest(msgspec.Struct, frozen=True):
    """What to review."""

    database: str
    game: str
    """Its number, such as ``12``."""
    parent: int
    """The process that asks; this one dies with it."""


class ReviewResult(msgspec.Struct, frozen=True):
    """The result of a review; nothing but defaults before its end."""

    truth: GameTruth | None = None
    problem: str = ""
    """Why there is no result, or why it is not stored."""


@dataclass(slots=True)
class ReviewJob:
    """A review that runs or has ended."""

    game: GameRow
    result: ReviewResult = field(default_factory=ReviewResult)
    is_over: bool = False


class Reviews:
    """The reviews of a server; they are started and followed in its loop."""

    def __init__(
        self, database: str, *, is_allowed: bool, command: Sequence[str] = COMMAND
    ) -> None:
        """Start nothing.

        Args:
            database: the database of the games.
            is_allowed: whether visitors may start reviews.
            command: the program that reviews a game.

        """
        self.is_allowed = is_allowed
        self._command = command
        self._database = database
        self._kept: OrderedDict[str, ReviewJob] = OrderedDict()
        """The latest reviews by number of the game; the last one may run."""
        self._task: asyncio.Task[None] | None = None

    def start(self, game: GameRow) -> None:
        """Start the review of a game, unless it runs already.

        Raises:
            Refused: another game is reviewed now, or the server starts no bots.

        """
        if not self.is_allowed:
            raise Refused(NO_BOTS, 503)
        running = next(reversed(self._kept.values()), None)
        if running is not None and not running.is_over:
            if running.game.id == game.id:
                return
            raise Refused(f"game {running.game.id} is being analysed: try again in a moment", 503)
        review = ReviewJob(game)
        self._kept.pop(str(game.id), None)
        self._kept[str(game.id)] = review
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        self._task = asyncio.create_task(self._run(review))

    def find(self, game: GameRow) -> ReviewJob | None:
        """Return the latest review of a game; None without one."""
        review = self._kept.get(str(game.id))
        is_same = review is not None and review.game == game  # the database may be another one
        return review if is_same else None

    def truth(self, game: GameRow, stored: GameTruth | None) -> GameTruth | None:
        """Return a game's stored values with the estimates of its review."""
        review = self.find(game)
        truth = None if review is None else review.result.truth
        return stored if truth is None else replace(stored or truth, estimates=truth.estimates)

    def mark(self, number: str) -> object:
        """Return a value that changes when the review of a game starts or ends."""
        review = self._kept.get(number)
        return None if review is None else (id(review), review.is_over)

    def state(self, number: str) -> dict[str, Any]:
        """Return whether the review of a game is over, and its result.

        Raises:
            Refused: it is not reviewed.

        """
        review = self._kept.get(number)
        if review is None:
            raise Refused("this game is not being analysed: reload its page", 404)
        truth = review.result.truth
        return {
            "over": review.is_over,
            "says": review.result.problem,
            "game": None if truth is None else viewer_game(review.game, truth=truth),
        }

    async def close(self) -> None:
        """End the review that runs."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _run(self, review: ReviewJob) -> None:
        request = ReviewRequest(self._database, str(review.game.id), os.getpid())
        process = None
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,  # Ctrl-C reaches only the server, which then ends it
            )
            async with asyncio.timeout(LONGEST_S):
                answer, _ = await process.communicate(msgspec.json.encode(request))
            review.result = msgspec.json.decode(answer, type=ReviewResult)
        except TimeoutError:
            problem = f"the analysis took longer than {LONGEST_S / 60:.0f} minutes: try again later"
            review.result = ReviewResult(problem=problem)
        except OSError as error:
            problem = f"the analysis cannot be started ({error.strerror}): try again later"
            review.result = ReviewResult(problem=problem)
        except msgspec.DecodeError:
            problem = "the analysis failed: the terminal of `ladder serve` shows why"
            review.result = ReviewResult(problem=problem)
        finally:
            review.is_over = True
            if process is not None and process.returncode is None:
                process.kill()
                await process.wait()


def run(request: ReviewRequest) -> ReviewResult:
    """Review a game, store the result and return it."""
    try:
        with Store.follow(request.database) as store:
            game = find_game(store, request.game)
            made = review_game(store, game, ReviewLimits())
    except (LadderError, DatabaseError, EngineError, BotsError) as error:
        return ReviewResult(problem=str(error))
    assert made is not None  # noqa: S101 - nothing stops it
    try:
        with open_to_write(request.database) as writing:
            save_review(writing, game, made.analysed)
    except DatabaseError as error:
        return ReviewResult(made.truth, f"the values are not stored: {error}")
    return ReviewResult(made.truth)


def main() -> None:
    """Answer one request."""
    request = msgspec.json.decode(sys.stdin.buffer.read(), type=ReviewRequest)
    die_with_parent(request.parent)
    lower_priority()
    sys.stdout.buffer.write(msgspec.json.encode(run(request)))
