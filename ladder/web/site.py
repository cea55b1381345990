"""The state that the routes of one server share."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request

from db.records.runs import DivisionRow, RunRow
from db.store import Store
from ladder.experiments.select.stored import StoredSelection, selection_of
from ladder.results.overview.change import list_before
from ladder.runs.history import PastRun
from ladder.web.live.boards import Boards
from ladder.web.live.change_signal import ChangeSignal
from ladder.web.live.follower import Follower
from ladder.web.live.reading import Readers
from ladder.web.live.streams import Streams
from ladder.web.live.views import Views
from ladder.web.play.open_games import OpenGames
from ladder.web.security.safety import Border
from reports.html.live.parts import Frame


class Remembered:
    """The latest answers to questions about runs that are costly to answer."""

    MOST = 16

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable, answer: Callable[[], Any]) -> Any:
        """Return what `answer` returned for this key."""
        if key in self._kept:
            return self._kept[key]
        found = self._kept[key] = answer()
        while len(self._kept) > self.MOST:
            self._kept.popitem(last=False)
        return found


@dataclass(slots=True)
class Site:
    """One server."""

    database: str
    border: Border
    readers: Readers
    follower: Follower
    views: Views
    open_games: OpenGames
    boards: Boards
    news: ChangeSignal
    """Of the follower and the boards."""
    streams: Streams = field(default_factory=Streams)
    remembered: Remembered = field(default_factory=Remembered)
    files: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))
    """Reads the files that pages load."""

    def list_before(self, store: Store, division: DivisionRow, run: RunRow) -> Mapping[str, float]:
        """Return the rating list by name without a run's games; it stays while the run lasts."""
        key = ("list before", run.started_at, run.id)
        found: Mapping[str, float] = self.remembered.get(
            key, lambda: list_before(store, division, run)
        )
        return found

    def selection(self, store: Store, run: PastRun) -> StoredSelection | None:
        """Return a stored selection, judged anew when it has more games."""
        row = run.row
        names = tuple(row.settings.get("bots") or ())
        key = ("selection", row.started_at, row.id, names, run.games, run.status)
        found: StoredSelection | None = self.remembered.get(
            key, lambda: selection_of(store, row, run.status)
        )
        return found

    @property
    def frame(self) -> Frame:
        """The part that all pages share."""
        return Frame(self.database, self.border.token)


def site_of(request: Request) -> Site:
    """Return the server that a request came to."""
    site: Site = request.app.state.site
    return site
