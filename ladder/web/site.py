"""The state that the routes of one server share, and answers that clients poll."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from starlette.requests import Request
from starlette.responses import Response

from db.records.runs import RunKind, RunRow, RunStatus
from db.store import Store
from ladder.experiments.stored import StoredRun, read_run
from ladder.runs.history import PastRun
from ladder.web.boards import Boards
from ladder.web.open_games import OpenGames
from ladder.web.reviews import Reviews
from ladder.web.security import AccessRules
from ladder.web.views import Result, Views
from reports.html.live.site import Frame, Page, page_html


class CommandOf(Protocol):
    """Returns a command line."""

    def __call__(self, run: RunRow, changes: Mapping[str, str] = ..., /) -> str | None:
        """Return that which repeats a run, with other options; None if it is not stored."""


MAX_RESULTS = 16
"""Largest number of results of runs to keep."""


@dataclass(slots=True)
class Site:
    """The shared state of a server."""

    database: str
    access: AccessRules
    views: Views
    open_games: OpenGames
    reviews: Reviews
    boards: Boards
    command_of: CommandOf
    results: dict[Hashable, StoredRun] = field(default_factory=dict)
    """The latest results of runs."""

    async def read(self, query: Callable[[Store], Result]) -> Result:
        """Return what a function reads from the database. Raises DatabaseError."""
        return await self.views.read(query)

    def stored_run(self, store: Store, run: PastRun) -> StoredRun:
        """Return a run with its result, which is computed again when it has more games.

        That of a selection in play, whose pairs take 0.4 ms each, when it has 5 % more.
        """
        row, games = run.row, run.games
        if row.kind is RunKind.SELECT and run.status is RunStatus.RUNNING:
            games -= games % max(games // 20, 1)
        names = tuple(row.settings.bots)
        key = (row.started_at, row.id, names, games, run.status, run.verdict)
        if key not in self.results:
            if len(self.results) == MAX_RESULTS:
                self.results.clear()
            self.results[key] = read_run(store, run)
        return self.results[key]

    @property
    def frame(self) -> Frame:
        """The values that all pages share."""
        return Frame(self.database, self.access.token)


def site_of(request: Request) -> Site:
    """Return the state of the server that received a request."""
    site: Site = request.app.state.site
    return site


async def page(
    request: Request, render: Callable[[Store], Page], *, mark: Hashable = None
) -> Response:
    """Answer with a page, or with status 304 if the client shows it already.

    Args:
        request: the request; requests with equal addresses share a view.
        render: reads the database and makes the page.
        mark: a value that changes when the page changes without the database.

    Raises:
        DatabaseError: the database cannot be read now.

    """
    site = site_of(request)
    key = (request.url.path, request.url.query, mark)
    view = await site.views.get(key, lambda store: page_html(render(store), site.frame))
    return answer_once(request, view.html, view.etag, "text/html; charset=utf-8")


def answer_once(request: Request, body: bytes, etag: str, media_type: str) -> Response:
    """Answer with a body, or with status 304 if the client has it already."""
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=media_type)
