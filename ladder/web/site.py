"""The state that the routes of one server share, and answers that clients poll."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from db.records.runs import DivisionRow, RunKind, RunRow, RunStatus
from db.store import Store
from ladder.experiments.stored import StoredRun, read_run
from ladder.results.overview.overview import rate_without_run
from ladder.runs.history import PastRun
from ladder.web.boards import Boards
from ladder.web.open_games import OpenGames
from ladder.web.reviews import Reviews
from ladder.web.security import AccessRules
from ladder.web.views import Readers, RenderParts, Views
from reports.html.live.parts import Frame, PageParts, framed

CommandOf = Callable[[RunRow], str | None]
"""Returns the command line that repeats a run; None if it is not stored."""
MAX_RESULTS = 16
"""Number of results of costly computations to keep."""


@dataclass(slots=True)
class Site:
    """The shared state of a server."""

    database: str
    access: AccessRules
    readers: Readers
    views: Views
    open_games: OpenGames
    reviews: Reviews
    boards: Boards
    command_of: CommandOf = lambda _: None
    """Returns the command line that repeats a run."""
    results: dict[Hashable, Any] = field(default_factory=dict)
    """The latest results of costly computations."""

    def rate_without_run(
        self, store: Store, division: DivisionRow, run: RunRow
    ) -> Mapping[str, float]:
        """Return ratings without a run's games by name; they do not change while the run lasts."""
        key = ("list before", run.started_at, run.id)
        found: Mapping[str, float] = self._kept(key, lambda: rate_without_run(store, division, run))
        return found

    def stored_run(self, store: Store, run: PastRun) -> StoredRun:
        """Return a run with its result, which is computed again when it has more games.

        That of a selection in play, whose pairs take 0.4 ms each, when it has 5 % more.
        """
        row, games = run.row, run.games
        if row.kind is RunKind.SELECT and run.status is RunStatus.RUNNING:
            games -= games % max(games // 20, 1)
        names = tuple(row.settings.get("bots") or ())
        key = ("run", row.started_at, row.id, names, games, run.status, run.verdict)
        found: StoredRun = self._kept(key, lambda: read_run(store, run))
        return found

    def _kept(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        found = self.results.pop(key, None) or compute()
        self.results[key] = found
        while len(self.results) > MAX_RESULTS:
            self.results.pop(next(iter(self.results)), None)
        return found

    @property
    def frame(self) -> Frame:
        """The values that all pages share."""
        return Frame(self.database, self.access.token)


def site_of(request: Request) -> Site:
    """Return the state of the server that received a request."""
    site: Site = request.app.state.site
    return site


async def page(
    request: Request,
    render: RenderParts,
    template: str = "page.html.j2",
    *,
    here: str = "",
    is_live: bool = False,
    mark: Hashable = None,
    **values: Any,
) -> Response:
    """Answer with a page, or with status 304 if the client shows it already.

    Args:
        request: the request; requests with equal addresses share a view.
        render: reads the database and renders the parts.
        template: the template of the page.
        here: see `framed`.
        is_live: whether the page follows the database.
        mark: a value that changes when the parts change without the database.
        values: see `framed`.

    Raises:
        DatabaseError: the database cannot be read now.

    """
    site = site_of(request)

    def frame(parts: PageParts, digest: str) -> str:
        live = digest if is_live else ""
        return framed(template, parts, site.frame, here=here, live=live, **values)

    view = await site.views.get((request.url.path, request.url.query, mark), render, frame)
    return answer_once(request, view.html, view.etag, "text/html; charset=utf-8")


def answer_once(request: Request, body: bytes, etag: str, media_type: str) -> Response:
    """Answer with a body, or with status 304 if the client has it already."""
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=media_type)
