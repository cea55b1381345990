"""The state that the routes of one server share."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request

from db.records.runs import DivisionRow, RunRow
from db.store import Store
from ladder.experiments.stored import StoredRun, read_run
from ladder.results.overview.overview import rate_without_run
from ladder.runs.history import PastRun
from ladder.web.live.boards import Boards
from ladder.web.live.reading import Readers
from ladder.web.live.views import Views
from ladder.web.play.open_games import OpenGames
from ladder.web.review.reviews import Reviews
from ladder.web.security.safety import AccessRules
from reports.html.live.parts import Frame

CommandOf = Callable[[RunRow], str | None]
"""Returns the command line that repeats a run; None if it is not stored."""


class ResultCache:
    """The latest results of costly computations."""

    SIZE = 16

    def __init__(self) -> None:
        self._results: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """Return the cached result of a key, or compute it."""
        if key not in self._results:
            self._results[key] = compute()
        found = self._results[key]
        while len(self._results) > self.SIZE:
            self._results.popitem(last=False)
        return found


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
    cache: ResultCache = field(default_factory=ResultCache)

    def rate_without_run(
        self, store: Store, division: DivisionRow, run: RunRow
    ) -> Mapping[str, float]:
        """Return ratings without a run's games by name; they do not change while the run lasts."""
        key = ("list before", run.started_at, run.id)
        found: Mapping[str, float] = self.cache.get(
            key, lambda: rate_without_run(store, division, run)
        )
        return found

    def stored_run(self, store: Store, run: PastRun) -> StoredRun:
        """Return a run with its result, which is computed again when it has more games."""
        row = run.row
        names = tuple(row.settings.get("bots") or ())
        key = ("run", row.started_at, row.id, names, run.games, run.status, run.verdict)
        found: StoredRun = self.cache.get(key, lambda: read_run(store, run))
        return found

    @property
    def frame(self) -> Frame:
        """The values that all pages share."""
        return Frame(self.database, self.access.token)


def site_of(request: Request) -> Site:
    """Return the state of the server that received a request."""
    site: Site = request.app.state.site
    return site
