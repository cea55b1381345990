"""The machines that play: the services of the queue, and the workers of a cluster."""

from typing import Annotated, Literal, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from db.records.tokens import Right
from db.store import FollowedStore
from ladder.moments import parse_until
from ladder.queue.jobs import find_jobs, find_live_services
from ladder.web.body import decode
from ladder.web.errors import Busy, NotFound, Refused
from ladder.web.security.parameters import Parameters
from ladder.web.security.sign_in import visitor_of
from ladder.web.site import site_of
from reports.cluster.status import machines_document, status_document
from reports.html.live.machines import machine_parts
from reports.html.live.parts import PageParts, framed

MOST_SLOTS = 4096
Found = TypeVar("Found")


class Action(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The body of a request that changes what a machine lends."""

    machine: str
    """Its name or address."""
    word: Literal["drain", "reserve", "release"]
    until: str = ""
    """The end of a reservation, such as ``18:00`` or ``2h``."""
    slots: Annotated[int, msgspec.Meta(ge=1, le=MOST_SLOTS)] | None = None
    """Slots to reserve; None for all."""


async def machines_page(request: Request) -> Response:
    """Answer with the machines; the page asks again every few seconds."""
    Parameters(request).check()
    site, visitor, status, problem = site_of(request), visitor_of(request), None, ""
    try:
        status = await site.cluster.read()
    except Busy as error:
        problem = str(error)

    def render(store: FollowedStore) -> PageParts:
        return machine_parts(
            find_live_services(store),
            find_jobs(store, ended=0),
            status,
            problem,
            may_manage=visitor.may(Right.MANAGE),
        )

    page = await site.readers.read(render)
    return HTMLResponse(framed("machines.html.j2", page, site.frame))


async def machines(request: Request) -> Response:
    """Answer with the document of `ladder cluster status --json`."""
    Parameters(request).check()
    return JSONResponse(status_document(_need_cluster(await site_of(request).cluster.read())))


async def act(request: Request) -> Response:
    """Drain, reserve or release a machine, and answer with its new status."""
    token, site = visitor_of(request).require(Right.MANAGE), site_of(request)
    action = decode(await request.body(), Action)
    if action.word != "reserve" and (action.until or action.slots is not None):
        raise Refused(f"until and slots are of a reservation: leave them out to {action.word}")
    until = parse_until(action.until) if action.word == "reserve" else None
    changed = await site.cluster.reserve(
        action.machine, token.name, None if action.word == "release" else (action.slots, until)
    )
    document = machines_document(_need_cluster(changed))
    await site.writer.write(lambda store: store.tokens.mark_used(token.id))
    return JSONResponse(document)


def _need_cluster(found: Found | None) -> Found:
    """Return what was found of a cluster. Raises NotFound without one."""
    if found is None:
        raise NotFound(
            "this server shows no cluster: restart it with `ladder serve --cluster HOST:PORT`"
        )
    return found
