"""The cache of pages is limited, and makes a page again only after a change."""

import time

import pytest

from db.errors import UnknownRow
from db.store import Store
from ladder.web.views import FRESH_S, MAX_VIEWS, CachedPage, Views
from tests.support.data.league import League
from tests.support.loops import run_apart


def test_the_cache_of_views_is_limited(league: League) -> None:
    """The least recently used views are dropped, and one is rendered again after a change."""
    rendered: list[int] = []

    async def ask(views: Views, number: int) -> CachedPage:
        def render(store: Store) -> str:
            rendered.append(number)
            return f"{number} {len(store.runs.find())}"

        return await views.get(number, render)

    async def ask_often() -> None:
        views = Views(str(league.store.path))
        try:
            for number in range(MAX_VIEWS + 1):
                await ask(views, number)
            assert rendered == list(range(MAX_VIEWS + 1))
            await ask(views, 0)  # was dropped
            last = await ask(views, MAX_VIEWS)
            with pytest.raises(UnknownRow):  # of an address that somebody typed
                await views.get("nobody", lambda store: store.bots.get("nobody").name)
            time.sleep(FRESH_S)
            before = last.etag
            assert await ask(views, MAX_VIEWS) is last
            assert rendered == [*range(MAX_VIEWS + 1), 0]
            league.run()
            await ask(views, MAX_VIEWS)  # is fresh
            time.sleep(FRESH_S)
            assert (await ask(views, MAX_VIEWS)).html == f"{MAX_VIEWS} 1".encode()
            assert last.etag != before
        finally:
            views.close()

    run_apart(ask_often())
    assert rendered == [*range(MAX_VIEWS + 1), 0, MAX_VIEWS]
