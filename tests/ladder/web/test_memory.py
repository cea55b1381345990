"""What the server keeps has a bound."""

import gc
import json
import weakref

import pytest

from ladder.web import memory
from ladder.web.live.change_signal import ChangeSignal
from ladder.web.live.follower import Follower
from ladder.web.live.reading import Readers
from ladder.web.live.views import KEPT, NOTHING, UPDATES_KEPT, Shown, View, Views, shown_of
from reports.html.live.parts import PageParts
from tests.support.data.league import League
from tests.support.loops import run_apart


class Thing:
    """A part of a circle."""

    other: "Thing"


def test_pages_that_nobody_asks_for_are_forgotten(league: League) -> None:
    """However many addresses are asked for, only so many pages may be kept."""
    path = str(league.store.path)

    async def ask(views: Views) -> int:
        for number in range(3 * KEPT):
            page = PageParts("a page", {"part": str(number)})
            await views.get(number, lambda _, page=page: View(page))
        return len(views._kept)

    readers = Readers(path)
    views = Views(readers, Follower(path, ChangeSignal()))
    try:
        assert run_apart(ask(views)) == KEPT
    finally:
        readers.close()


def test_an_update_holds_what_has_changed_and_few_are_kept() -> None:
    """A page must be sent the parts that differ from its own, by their marks alone."""
    old = PageParts("p", {"same": "1", "other": "2"}, {"chart": {"height": 1}})
    new = PageParts("p", {"same": "1", "other": "3"}, {"chart": {"height": 2}})
    view = View(new)
    view.shown = shown_of(new)

    def sent(before: Shown) -> object:
        lines = view.update(before).decode().splitlines()
        return json.loads(lines[2].removeprefix("data: "))

    assert sent(shown_of(old)) == {"parts": {"other": "3"}, "charts": {"chart": {"height": 2}}}
    assert sent(shown_of(new)) == {"parts": {}, "charts": {}}
    assert sent(NOTHING) == {"parts": new.parts, "charts": new.charts}
    for number in range(3 * UPDATES_KEPT):
        sent(shown_of(PageParts("p", {"other": str(number)})))
    assert len(view._updates) == UPDATES_KEPT


@pytest.mark.slow
def test_circles_are_found_after_the_server_has_settled() -> None:
    """The program's own objects must be looked through no more, and new circles all the same."""
    try:
        memory.settle()
        assert gc.get_freeze_count() > 1000
        one, other = Thing(), Thing()
        one.other, other.other = other, one
        gone = weakref.ref(one)
        del one, other
        gc.collect()
        assert gone() is None
    finally:
        gc.unfreeze()
