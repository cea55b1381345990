"""Answers with pages, which clients poll with the ETag of what they show."""

from collections.abc import Hashable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ladder.web.live.views import RenderParts
from ladder.web.site import site_of
from reports.html.live.parts import PageParts, framed


async def page(
    request: Request,
    template: str,
    render: RenderParts,
    *,
    here: str = "",
    is_live: bool = False,
    mark: Hashable = None,
    **values: Any,
) -> Response:
    """Answer with a page, or with status 304 if the client shows it already.

    Args:
        request: the request; requests with equal addresses share a view.
        template: the template of the page.
        render: reads the database and renders the parts.
        here: see `framed`.
        is_live: whether the page follows the database.
        mark: a value that changes when the parts change without the database.
        values: see `framed`.

    Raises:
        DatabaseError: the database cannot be read now.

    """
    site = site_of(request)
    key = (template, request.url.path, request.url.query, mark)

    def frame(parts: PageParts, digest: str) -> str:
        live = digest if is_live else ""
        return framed(template, parts, site.frame, here=here, live=live, **values)

    view = await site.views.get(key, render, frame)
    return answer_once(request, view.html, view.etag, "text/html; charset=utf-8")


def answer_once(request: Request, body: bytes, etag: str, media_type: str) -> Response:
    """Answer with a body, or with status 304 if the client has it already."""
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=media_type)
