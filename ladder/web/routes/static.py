"""Static files, by name; no path leads to another file."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from ladder.web.errors import NotFound
from ladder.web.site import site_of
from reports.html.live.parts import static_file as read_file
from reports.html.live.parts import static_version

CACHE_FOREVER = "public, max-age=31536000, immutable"


async def static_file(request: Request) -> Response:
    """Answer with a file; its address changes with its content, so browsers may cache it."""
    loop = asyncio.get_running_loop()
    try:
        text, kind = await loop.run_in_executor(
            site_of(request).files, read_file, request.path_params["name"]
        )
    except KeyError:
        raise NotFound("there is no such file") from None
    is_current = request.path_params["version"] == static_version()
    cache = CACHE_FOREVER if is_current else "no-store"
    return Response(text, media_type=kind, headers={"Cache-Control": cache})
