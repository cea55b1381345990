"""The process of a review: ``python -P -m ladder.web.review_process``.

It reads a `ReviewRequest` and writes a `ReviewResult` as JSON. The database's URL may hold a
password, so it is no argument, which other users could read.
"""

import sys

import msgspec

from bots.errors import BotsError
from bots.parent_death import die_with_parent
from db.errors import DatabaseError
from db.store import Store
from engine.errors import EngineError
from ladder.errors import LadderError
from ladder.look_ahead import lower_priority
from ladder.results.analysis.division import GameTruth
from ladder.results.analysis.game import ReviewLimits, review_game, save_review
from ladder.results.overview.games import find_game
from ladder.web.open_game import open_to_write


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


if __name__ == "__main__":
    main()
