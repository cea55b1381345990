"""The overview page."""

from starlette.requests import Request
from starlette.responses import Response

from db.store import Store
from ladder.results.overview.overview import read_overview
from ladder.web.pages import answer_once, page
from ladder.web.security.parameters import InDivision, Nothing, read_query
from ladder.web.site import site_of
from reports.html.live.overview import overview_parts
from reports.html.live.parts import PageParts


async def overview_page(request: Request) -> Response:
    """Answer with the runs and the rating list of a division."""
    division, site = read_query(request, InDivision).division, site_of(request)

    def render(store: Store) -> PageParts:
        return overview_parts(read_overview(store, division, site.rate_without_run))

    return await page(request, "overview.html.j2", render, here="/", is_live=True)


async def boards(request: Request) -> Response:
    """Answer with the boards in play."""
    read_query(request, Nothing)
    shown = site_of(request).boards
    document = shown.document()
    return answer_once(request, document, f'"{shown.version}"', "application/json")
