"""The queue, which pages only show."""

from starlette.requests import Request
from starlette.responses import Response

from ladder.queue.jobs import list_jobs
from ladder.web.live_page import live_page
from ladder.web.routes.api import document
from ladder.web.security.parameters import Parameters
from reports.html.live.queue import queue_parts
from reports.queue import jobs_document


async def queue_page(request: Request) -> Response:
    """Answer with the queue, updated live."""
    Parameters(request).check()
    return await live_page(
        request, "queue.html.j2", (), lambda store: queue_parts(list_jobs(store)), here="/queue"
    )


async def jobs(request: Request) -> Response:
    """Answer with the document of `ladder queue list --json`."""
    Parameters(request).check()
    return await document(request, lambda store: jobs_document(list_jobs(store)))
