"""The overview page."""

from starlette.requests import Request
from starlette.responses import Response

from db.store import FollowedStore
from ladder.experiments.gate.stored import running_trials
from ladder.results.overview.overview import read_overview
from ladder.web.live_page import live_page
from ladder.web.security.parameters import Parameters
from ladder.web.site import site_of
from reports.html.live.overview import overview_parts
from reports.html.live.parts import PageParts


async def overview_page(request: Request) -> Response:
    """Answer with the runs and the rating list of a division, updated live."""
    given = Parameters(request)
    division = given.text("division")
    given.check()
    site = site_of(request)

    def render(store: FollowedStore) -> PageParts:
        data = read_overview(store, division, site.rate_without_run)
        return overview_parts(data, running_trials(store, data.runs))

    return await live_page(
        request, "overview.html.j2", division, render, here="/", boards=site.boards
    )
