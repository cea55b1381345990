"""The caches of the server are limited."""

import json

from ladder.web.live.change_signal import ChangeSignal
from ladder.web.live.follower import Follower
from ladder.web.live.reading import Readers
from ladder.web.live.views import (
    MAX_UPDATES,
    MAX_VIEWS,
    NOTHING,
    View,
    ViewMarks,
    Views,
    hash_parts,
)
from reports.html.live.parts import PageParts
from tests.support.data.league import League
from tests.support.loops import run_apart


def test_the_cache_of_views_is_limited(league: League) -> None:
    """The number of cached views is limited."""
    path = str(league.store.path)

    async def ask(views: Views) -> int:
        for number in range(3 * MAX_VIEWS):
            page = PageParts("a page", {"part": str(number)})
            await views.get(number, lambda _, page=page: View(page))
        return len(views._cached)

    readers = Readers(path)
    views = Views(readers, Follower(path, ChangeSignal()))
    try:
        assert run_apart(ask(views)) == MAX_VIEWS
    finally:
        readers.close()


def test_an_update_has_only_changed_parts() -> None:
    """A page gets only the parts whose marks differ, and few events are cached."""
    old = PageParts("p", {"same": "1", "other": "2"}, {"chart": {"height": 1}})
    new = PageParts("p", {"same": "1", "other": "3"}, {"chart": {"height": 2}})
    view = View(new)
    view.marks = hash_parts(new)

    def sent(before: ViewMarks) -> object:
        lines = view.update(before).decode().splitlines()
        return json.loads(lines[2].removeprefix("data: "))

    assert sent(hash_parts(old)) == {"parts": {"other": "3"}, "charts": {"chart": {"height": 2}}}
    assert sent(hash_parts(new)) == {"parts": {}, "charts": {}}
    assert sent(NOTHING) == {"parts": new.parts, "charts": new.charts}
    for number in range(3 * MAX_UPDATES):
        sent(hash_parts(PageParts("p", {"other": str(number)})))
    assert len(view._updates) == MAX_UPDATES
