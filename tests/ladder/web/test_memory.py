"""The cache of pages is limited, and makes a page again only after a change."""

from ladder.web.views import FRESH_S, MAX_VIEWS, Changes, LivePage, Readers, Views
from reports.html.live.parts import PageParts
from tests.support.data.league import League
from tests.support.loops import run_apart


def test_the_cache_of_views_is_limited(league: League) -> None:
    """The least recently used views are dropped, and a fresh one is not rendered again."""
    path = str(league.store.path)
    rendered: list[int] = []

    async def ask(views: Views, number: int) -> LivePage:
        def render(_: object) -> PageParts:
            rendered.append(number)
            return PageParts("a page", {"part": str(number)})

        return await views.get(number, render, lambda page, digest: f"{page.parts} {digest}")

    async def ask_often(views: Views) -> int:
        for number in range(2 * MAX_VIEWS):
            await ask(views, number)
        last = await ask(views, 2 * MAX_VIEWS - 1)
        last.looked_at -= FRESH_S  # it is looked at again, and nothing has changed
        assert await ask(views, 2 * MAX_VIEWS - 1) is last
        return len(views._cached)

    async def ask_views() -> int:
        readers, changes = Readers(path), Changes(path)
        try:
            return await ask_often(Views(readers, changes))
        finally:
            readers.close()
            changes.close()

    assert run_apart(ask_views()) == MAX_VIEWS
    assert rendered == list(range(2 * MAX_VIEWS))
