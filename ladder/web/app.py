"""The application: routes behind the border, and errors as pages or documents."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from bots.errors import BotsError
from db.errors import DatabaseError, UnknownRow
from engine.errors import EngineError
from ladder.errors import LadderError, UnknownBot, UsageError
from ladder.web import memory
from ladder.web.errors import NotFound, Refused
from ladder.web.live.events import event
from ladder.web.live_page import wants_stream
from ladder.web.routes import api, play
from ladder.web.routes.bots import bot_page
from ladder.web.routes.compare import compare_page
from ladder.web.routes.games import game_page, games_page
from ladder.web.routes.overview import overview_page
from ladder.web.routes.runs import run_page
from ladder.web.routes.static import static_file
from ladder.web.security.safety import SafetyMiddleware
from ladder.web.site import Site
from reports.html.live.parts import PageParts, framed

TITLES = {
    400: "That cannot be shown",
    401: "A password, please",
    403: "Not from there",
    404: "There is nothing here",
    405: "Not in this way",
    410: "That has ended",
    408: "That took too long",
    413: "That is too much",
    500: "A defect of the ladder",
    503: "Not now",
}
_log = logging.getLogger("ladder.web")


def routes() -> list[BaseRoute]:
    """All pages and documents."""
    return [
        Route("/", overview_page),
        Route("/bots/{name}", bot_page),
        Route("/runs/{run}", run_page),
        Route("/games", games_page),
        Route("/games/{game}", game_page),
        Route("/compare", compare_page),
        Route("/play", play.play_page),
        Route("/play", play.begin, methods=["POST"]),
        Route("/play/consult", play.consult, methods=["POST"]),
        Route("/play/{key}", play.game_of_person),
        Route("/play/{key}", play.act, methods=["POST"]),
        Route("/api/standings", api.standings),
        Route("/api/runs", api.runs),
        Route("/api/games", api.games),
        Route("/api/games/{game}", api.game),
        Route("/api/compare", api.comparison),
        Route("/static/{version}/{name}", static_file),
    ]


def application(site: Site) -> ASGIApp:
    """The application of one server, which starts to follow the database when it is served."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        site.follower.start()
        going_on = [
            asyncio.create_task(site.open_games.tidy()),
            asyncio.create_task(memory.give_back()),
        ]
        yield
        for task in going_on:
            task.cancel()

    async def refuse(refusal: Refused, scope: Scope, receive: Receive, send: Send) -> None:
        await answer_error(Request(scope), site, refusal)(scope, receive, send)

    async def on_error(request: Request, error: Exception) -> Response:
        return answer_error(request, site, error)

    known = (LadderError, DatabaseError, EngineError, BotsError, HTTPException, Exception)
    app = Starlette(
        routes=routes(),
        lifespan=lifespan,
        exception_handlers=dict.fromkeys(known, on_error),
    )
    app.state.site = site
    return SafetyMiddleware(app, site.border, refuse)  # outside of all: answers to errors, too


def answer_error(request: Request, site: Site, error: Exception) -> Response:
    """Return an error as a page, as a document under ``/api/``, or as an event of a stream."""
    status, sentence = judge(error)
    if status == 500:
        _log.error("internal error at %s", request.url.path, exc_info=error)
    headers = {"WWW-Authenticate": 'Basic realm="ladder", charset="UTF-8"'} if status == 401 else {}
    is_document = request.url.path.startswith("/api/") or request.method not in ("GET", "HEAD")
    if is_document:
        return JSONResponse({"error": sentence}, status, headers)
    if wants_stream(request) and status == 503:
        # A stream that is refused with a status never comes again by itself.
        body = b"retry: 1000\n\n" + event("problem", {"sentence": sentence})
        return Response(body, media_type="text/event-stream")
    page = PageParts(TITLES.get(status, TITLES[400]), {})
    comes_back = isinstance(error, DatabaseError) and status == 503
    html = framed(
        "error.html.j2",
        page,
        site.frame,
        live="failed" if comes_back else "",
        failed=True,
        sentence=sentence,
        comes_back=comes_back,
    )
    return HTMLResponse(html, status, headers)


def judge(error: Exception) -> tuple[int, str]:
    """Return the status of an answer and its sentence."""
    if isinstance(error, Refused):
        return error.status, str(error)
    if isinstance(error, HTTPException):
        if error.status_code == 404:
            return 404, str(NotFound("there is no such page: the first page leads to all of them"))
        return error.status_code, f"{error.detail}."
    if isinstance(error, UnknownRow | UnknownBot):
        return 404, str(error)
    if isinstance(error, UsageError | EngineError | BotsError):
        return 400, str(error)
    if isinstance(error, DatabaseError):
        return 503, str(error)
    if isinstance(error, LadderError):
        return 503, str(error)
    if isinstance(error, ClientDisconnect):
        return 408, "the request did not come to its end"
    if isinstance(error, asyncio.CancelledError):
        return 503, "the server is about to end"
    return 500, "something went wrong that nobody foresaw: the terminal of `ladder serve` says more"
