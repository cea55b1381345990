"""Bots side by side."""

from starlette.requests import Request
from starlette.responses import Response

from db.store import FollowedStore
from ladder.results.overview.overview import list_now
from ladder.results.standings.comparison import compare
from ladder.results.standings.division import division_or_latest
from ladder.web.border.parameters import Parameters
from ladder.web.live_page import still_page
from reports.html.live.compare import compare_parts
from reports.html.live.parts import PageParts


async def compare_page(request: Request) -> Response:
    """The bots of ``bots=a,b,c``, or of the two fields of the page's form."""
    given = Parameters(request)
    names = list(given.names("bots"))
    pair = [given.text("one"), given.text("other")]
    names = names or [name for name in pair if name is not None]
    division = given.text("division")
    given.check()

    def look(store: FollowedStore) -> PageParts:
        if store.runs.latest(kind=None) is None:
            return compare_parts(None, (), names)
        row = division_or_latest(store, division)
        known = sorted(bot.name for bot in list_now(store, row).bots)
        made = compare(store, row, names) if names else None
        return compare_parts(made, known, names)

    return await still_page(request, "compare.html.j2", look, here="/compare")
