"""The queue, which pages only show."""

from starlette.requests import Request
from starlette.responses import Response

from ladder.queue.jobs import list_jobs
from ladder.web.pages import page
from ladder.web.routes.api import document
from ladder.web.security.parameters import Nothing, read_query
from reports.html.live.queue import queue_parts
from reports.queue import jobs_document


async def queue_page(request: Request) -> Response:
    """Answer with the queue, updated live."""
    read_query(request, Nothing)
    return await page(
        request,
        "queue.html.j2",
        lambda store: queue_parts(list_jobs(store)),
        here="/queue",
        is_live=True,
    )


async def jobs(request: Request) -> Response:
    """Answer with the document of `ladder queue list --json`."""
    read_query(request, Nothing)
    return await document(request, lambda store: jobs_document(list_jobs(store)))
