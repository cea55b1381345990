"""The reviews of a server: one at a time, and the results of the latest ones."""

import asyncio
import contextlib
import os
import sys
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from db.records.games import GameRow
from ladder.results.analysis.division import GameTruth
from ladder.results.analysis.game import ReviewProgress
from ladder.web.errors import NotFound, Overloaded
from ladder.web.review.process import ReviewMessage, ReviewRequest
from reports.analyze import review_status
from reports.html.live.games import game_shown

COMMAND = (sys.executable, "-P", "-m", "ladder.web.review.process")
LINE_LIMIT = 1 << 20
"""Bytes of a message; the values of the longest game take a few hundred thousand."""
LONGEST_S = 600.0
"""Time limit of a review, which takes seconds unless runs use all processors."""
MAX_KEPT = 32
"""Number of reviews to keep, as estimates are not stored in the database."""


@dataclass(slots=True)
class ReviewJob:
    """A review that runs or has ended."""

    game: GameRow
    progress: ReviewProgress
    truth: GameTruth | None = None
    """The result; None before the end and after a failure."""
    failure: str = ""
    """Why the review failed."""
    not_stored: str = ""
    """Why the result is not stored."""
    is_over: bool = False


class Reviews:
    """The reviews of a server; they are started and followed in its loop."""

    def __init__(self, database: str, *, is_allowed: bool) -> None:
        """Start nothing.

        Args:
            database: the database of the games.
            is_allowed: whether visitors may start reviews.

        """
        self.is_allowed = is_allowed
        self._database = database
        self._kept: OrderedDict[str, ReviewJob] = OrderedDict()
        """The latest reviews by number of the game; the last one may run."""
        self._task: asyncio.Task[None] | None = None

    def start(self, game: GameRow) -> None:
        """Start the review of a game, unless it runs already.

        Raises:
            Overloaded: another game is reviewed now, or the server starts no bots.

        """
        if not self.is_allowed:
            raise Overloaded(
                "this server starts no bots: restart it with `ladder serve --players 4`"
            )
        running = next(reversed(self._kept.values()), None)
        if running is not None and not running.is_over:
            if running.game.id == game.id:
                return
            raise Overloaded(
                f"game {running.game.id} is being analysed "
                f"({review_status(running.progress)}): try again in a moment"
            )
        review = ReviewJob(game, ReviewProgress(len(game.moves) - game.opening_plies))
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
        if review is None or review.truth is None:
            return stored
        return replace(stored or review.truth, estimates=review.truth.estimates)

    def mark(self, number: str) -> object:
        """Return a value that changes when the review of a game starts or ends."""
        review = self._kept.get(number)
        return None if review is None else (id(review), review.is_over)

    def state(self, number: str) -> dict[str, Any]:
        """Return the progress of the review of a game, or its result.

        Raises:
            NotFound: it is not reviewed.

        """
        if number not in self._kept:
            raise NotFound("this game is not being analysed: reload its page")
        return _state(self._kept[number])

    async def close(self) -> None:
        """End the review that runs."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _run(self, review: ReviewJob) -> None:
        try:
            async with asyncio.timeout(LONGEST_S):
                await self._follow_process(review)
        except TimeoutError:
            review.failure = (
                f"the analysis took longer than {LONGEST_S / 60:.0f} minutes, as other programs "
                "use the processors: try again when they have ended"
            )
        except (OSError, ValueError, msgspec.DecodeError) as error:
            review.failure = f"the analysis failed: {error}"
        finally:
            review.is_over = True

    async def _follow_process(self, review: ReviewJob) -> None:
        request = ReviewRequest(self._database, str(review.game.id), os.getpid())
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LINE_LIMIT,
            start_new_session=True,  # Ctrl-C reaches only the server, which then ends this process
        )
        assert process.stdin is not None  # noqa: S101 - asked for above
        assert process.stdout is not None  # noqa: S101 - asked for above
        try:
            process.stdin.write(msgspec.json.encode(request) + b"\n")
            while line := await process.stdout.readline():
                message = msgspec.json.decode(line, type=ReviewMessage)
                review.progress = message.progress or review.progress
                review.truth, review.failure = message.truth, message.failure
                review.not_stored = message.not_stored
            await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if review.truth is None and not review.failure:
            review.failure = (
                "the analysis ended without a result: the terminal of `ladder serve` shows why"
            )


def _state(review: ReviewJob) -> dict[str, Any]:
    """Return the state of a review for the page of its game."""
    progress, says = review.progress, review_status(review.progress)
    if review.is_over:
        says = review.failure
        if review.not_stored:
            says = f"the values are not stored: {review.not_stored}"
    is_done = review.is_over and review.truth is not None
    return {
        "says": says,
        "done": progress.solved + progress.estimated,
        "of": progress.positions + progress.to_estimate,
        "over": review.is_over,
        "game": game_shown(review.game, review.truth) if is_done else None,
    }
