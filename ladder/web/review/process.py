"""The process of a review: ``python -P -m ladder.web.review.process``.

It reads a `ReviewRequest` as a line of JSON and writes a `ReviewMessage` a line. The database's URL
may hold a password, so it is no argument, which other users could read.
"""

import sys
import time

import msgspec

from bots.errors import BotsError
from bots.parent_death import die_with_parent
from db.errors import DatabaseError
from db.store import Store
from engine.errors import EngineError
from ladder.errors import LadderError
from ladder.look_ahead import lower_priority
from ladder.results.analysis.division import GameTruth
from ladder.results.analysis.game import (
    ReviewLimits,
    ReviewProgress,
    review_game,
    save_review,
)
from ladder.results.overview.games import find_game
from ladder.web.writing import open_to_write

REPORT_S = 0.1
"""Shortest time between two messages about the progress."""


class ReviewRequest(msgspec.Struct, frozen=True):
    """What to review."""

    database: str
    game: str
    """Its number, such as ``12``."""
    parent: int
    """The process that asks; this one dies with it."""


class ReviewMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """One of progress, result and failure."""

    progress: ReviewProgress | None = None
    truth: GameTruth | None = None
    failure: str = ""
    """Why there is no result."""
    not_stored: str = ""
    """Why the result could not be stored."""


def run(request: ReviewRequest) -> ReviewMessage:
    """Review a game, report the progress, store the result and return it."""
    last = 0.0

    def report(progress: ReviewProgress) -> None:
        nonlocal last
        if progress.is_compiling or time.monotonic() - last >= REPORT_S:
            last = time.monotonic()
            send(ReviewMessage(progress=progress))

    try:
        with Store.follow(request.database) as store:
            game = find_game(store, request.game)
            made = review_game(store, game, ReviewLimits(), on_progress=report)
        assert made is not None  # noqa: S101 - nothing stops it
        try:
            with open_to_write(request.database) as writing:
                save_review(writing, game, made.analysed)
        except DatabaseError as error:
            return ReviewMessage(truth=made.truth, not_stored=str(error))
        return ReviewMessage(truth=made.truth)
    except (LadderError, DatabaseError, EngineError, BotsError) as error:
        return ReviewMessage(failure=str(error))


def send(message: ReviewMessage) -> None:
    """Write a message to standard output."""
    sys.stdout.buffer.write(msgspec.json.encode(message) + b"\n")
    sys.stdout.buffer.flush()


def main() -> None:
    """Answer one request."""
    request = msgspec.json.decode(sys.stdin.buffer.readline(), type=ReviewRequest)
    die_with_parent(request.parent)
    lower_priority()
    send(run(request))


if __name__ == "__main__":
    main()
