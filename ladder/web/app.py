"""The web application: routes, and errors as pages or JSON."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from bots.errors import BotsError
from db.errors import DatabaseError, InUse, UnknownRow
from engine.errors import EngineError
from ladder.errors import LadderError, UnknownBot, UsageError
from ladder.web import api, pages, play
from ladder.web.errors import Refused
from ladder.web.security import HeadersMiddleware, OriginMiddleware, PasswordBackend
from ladder.web.site import Site
from reports.html.live.parts import PageParts, framed, static_version
from reports.html.page import STATIC, vega_bundle

_log = logging.getLogger("ladder.web")


def routes() -> list[BaseRoute]:
    """Return the routes of all pages and documents."""
    return [
        Route("/", pages.overview_page),
        Route("/boards", pages.boards),
        Route("/bots/{name}", pages.bot_page),
        Route("/runs/{run}", pages.run_page),
        Route("/games", pages.games_page),
        Route("/games/{game}", pages.game_page),
        Route("/games/{game}/review", pages.review_state),
        Route("/games/{game}/review", pages.review, methods=["POST"]),
        Route("/compare", pages.compare_page),
        Route("/play", play.play_page),
        Route("/play", play.start, methods=["POST"]),
        Route("/play/{key}", play.game_page),
        Route("/play/{key}", play.act, methods=["POST"]),
        Route("/play/{key}/state", play.game_state),
        Route("/queue", pages.queue_page),
        Route("/api/queue", api.jobs),
        Route("/api/standings", api.standings),
        Route("/api/runs", api.runs),
        Route("/api/games", api.games),
        Route("/api/games/{game}", api.game),
        Route("/api/compare", api.comparison),
        Route("/static/{version}/vega.js", charts_library),
        Mount("/static/{version}", StaticFiles(directory=STATIC)),
    ]


def charts_library(_: Request) -> Response:
    """Answer with the library that draws charts, which is kept in the user's cache."""
    return Response(vega_bundle(), media_type="text/javascript")


def application(site: Site) -> ASGIApp:
    """Return the application."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        ending = asyncio.create_task(site.open_games.end_abandoned())
        yield
        ending.cancel()

    def refuse(request: Request, error: Exception) -> Response:
        return error_response(request, site, error)

    async def on_error(request: Request, error: Exception) -> Response:
        return refuse(request, error)

    access = site.access
    checks = [
        Middleware(TrustedHostMiddleware, allowed_hosts=access.hosts, www_redirect=False),
        Middleware(OriginMiddleware, access=access, refuse=refuse),
    ]
    if access.password is not None:
        checks.append(
            Middleware(
                AuthenticationMiddleware,
                backend=PasswordBackend(access.password),
                on_error=lambda conn, error: refuse(Request(conn.scope), Refused(str(error), 401)),
            )
        )
    known = (LadderError, DatabaseError, EngineError, BotsError, HTTPException, Exception)
    app = Starlette(
        routes=routes(),
        lifespan=lifespan,
        middleware=checks,
        exception_handlers=dict.fromkeys(known, on_error),
    )
    app.state.site = site
    # Outermost, so that errors have its headers.
    return HeadersMiddleware(app, f"/static/{static_version()}/")


def error_response(request: Request, site: Site, error: Exception) -> Response:
    """Return an error as a page, or as JSON for scripts."""
    status, sentence = describe_error(error)
    if status == 500:
        _log.error("internal error at %s", request.url.path, exc_info=error)
    headers = {"WWW-Authenticate": 'Basic realm="ladder", charset="UTF-8"'} if status == 401 else {}
    is_document = request.method not in ("GET", "HEAD") or request.url.path.startswith("/api/")
    is_document |= request.url.path.endswith(("/state", "/review", "/boards"))
    if is_document:
        return JSONResponse({"error": sentence}, status, headers)
    page = PageParts(HTTPStatus(status).phrase, {})
    is_retried = isinstance(error, DatabaseError) and status == 503
    html = framed(
        "error.html.j2",
        page,
        site.frame,
        live="failed" if is_retried else "",
        failed=True,
        sentence=sentence,
        is_retried=is_retried,
    )
    return HTMLResponse(html, status, headers)


def describe_error(error: Exception) -> tuple[int, str]:
    """Return the status and the sentence for an error."""
    if isinstance(error, Refused):
        return error.status, str(error)
    if isinstance(error, HTTPException):
        if error.status_code == 404:
            return 404, "there is no such page: the overview links to all pages"
        return error.status_code, f"{error.detail}."
    if isinstance(error, UnknownRow | UnknownBot):
        return 404, str(error)
    if isinstance(error, InUse):
        return 409, str(error)
    if isinstance(error, UsageError | EngineError | BotsError):
        return 400, str(error)
    if isinstance(error, DatabaseError | LadderError):
        return 503, str(error)
    if isinstance(error, ClientDisconnect):
        return 408, "the request was not completed"
    if isinstance(error, asyncio.CancelledError):
        return 503, "the server is shutting down"
    return 500, "internal error: the terminal of `ladder serve` shows the details"
