"""The machines that play: the services of the queue, and the workers of a cluster."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from db.store import FollowedStore
from ladder.queue.jobs import find_jobs, find_live_services
from ladder.web.errors import Busy, NotFound
from ladder.web.security.parameters import Parameters
from ladder.web.site import site_of
from reports.cluster.status import status_document
from reports.html.live.machines import machine_parts
from reports.html.live.parts import PageParts, framed


async def machines_page(request: Request) -> Response:
    """Answer with the machines; the page asks again every few seconds."""
    Parameters(request).check()
    site, status, problem = site_of(request), None, ""
    try:
        status = await site.cluster.read()
    except Busy as error:
        problem = str(error)

    def render(store: FollowedStore) -> PageParts:
        return machine_parts(find_live_services(store), find_jobs(store, ended=0), status, problem)

    page = await site.readers.read(render)
    return HTMLResponse(framed("machines.html.j2", page, site.frame))


async def machines(request: Request) -> Response:
    """Answer with the document of `ladder cluster status --json`."""
    Parameters(request).check()
    status = await site_of(request).cluster.read()
    if status is None:
        raise NotFound(
            "this server shows no cluster: restart it with `ladder serve --cluster HOST:PORT`"
        )
    return JSONResponse(status_document(status))
