"""Live pages: a page, and at the same address the stream of its changes.

A request that accepts ``text/event-stream`` gets the stream, any other request the page.
"""

from collections.abc import Callable, Hashable
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from db.store import FollowedStore
from ladder.web.live.boards import Boards
from ladder.web.live.updates import updates
from ladder.web.live.views import View
from ladder.web.site import site_of
from reports.html.live.parts import PageParts, framed

RenderParts = Callable[[FollowedStore], PageParts]


def wants_stream(request: Request) -> bool:
    """Return whether the request is for the changes of a page."""
    return "text/event-stream" in request.headers.get("accept", "")


async def live_page(
    request: Request,
    template: str,
    key: Hashable,
    render: RenderParts,
    *,
    here: str = "",
    boards: Boards | None = None,
    **values: Any,
) -> Response:
    """Answer with a page or with its stream.

    Args:
        request: the request.
        template: the template of the page.
        key: the parameters of the page; requests with equal keys share a view.
        render: reads the database and renders the parts.
        here: see `framed`.
        boards: the boards in play, for a page that shows them.
        values: see `framed`.

    Raises:
        DatabaseError: the database cannot be read now.

    """
    site = site_of(request)

    def make(store: FollowedStore) -> View:
        return View(render(store))

    async def get() -> View:
        return await site.views.get((template, key), make)

    if wants_stream(request):
        seen = request.headers.get("last-event-id", request.query_params.get("seen", ""))
        events = updates(site.changes, site.follower, boards, get, seen)
        return site.streams.open(request.state.browser, events)
    view = await get()

    def frame(page: PageParts, digest: str) -> str:
        return framed(template, page, site.frame, here=here, live=digest, **values)

    return HTMLResponse(view.html(frame), headers={"Vary": "Accept"})


async def still_page(
    request: Request,
    template: str,
    render: RenderParts,
    *,
    here: str = "",
    mark: object = None,
    **values: Any,
) -> Response:
    """Answer with a page without updates.

    Args:
        request: the request.
        template: the template of the page.
        render: reads the database and renders the parts.
        here: see `framed`.
        mark: a hashable value that changes when the parts change without the database.
        values: see `framed`.

    Raises:
        DatabaseError: the database cannot be read now.

    """
    site = site_of(request)
    key = (template, request.url.path, request.url.query, mark)
    view = await site.views.get(key, lambda store: View(render(store)))

    def frame(page: PageParts, _: str) -> str:
        return framed(template, page, site.frame, here=here, **values)

    return HTMLResponse(view.html(frame))
