"""The state that the routes of one server share."""

from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from starlette.requests import Request

from db.records.runs import DivisionRow, RunRow
from db.store import Store
from ladder.results.overview.change import list_before
from ladder.web.border.safety import Border
from ladder.web.live.boards import Boards
from ladder.web.live.follower import Follower
from ladder.web.live.news import News
from ladder.web.live.reading import Readers
from ladder.web.live.streams import Streams
from ladder.web.live.views import Views
from ladder.web.play.open_games import OpenGames
from reports.html.live.parts import Frame


class ListsBefore:
    """Rating lists without a run's games, remembered: they do not change while the run goes on."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[float, int], Mapping[str, float]] = OrderedDict()

    def __call__(self, store: Store, division: DivisionRow, run: RunRow) -> Mapping[str, float]:
        """The list by name."""
        key = (run.started_at, run.id)
        if key not in self._kept:
            self._kept[key] = list_before(store, division, run)
            while len(self._kept) > 16:
                self._kept.popitem(last=False)
        return self._kept[key]


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
    news: News
    """Of the follower and the boards."""
    streams: Streams = field(default_factory=Streams)
    lists_before: ListsBefore = field(default_factory=ListsBefore)
    files: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))
    """Reads the files that pages load."""

    @property
    def frame(self) -> Frame:
        """The part that all pages share."""
        return Frame(self.database, self.border.token)


def site_of(request: Request) -> Site:
    """The server that a request came to."""
    site: Site = request.app.state.site
    return site
