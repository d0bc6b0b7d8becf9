"""The server as an ASGI application: the parts put together, the page's files, and errors in one line."""

import contextlib
import logging
import secrets
import signal
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from outflank import __version__
from outflank.errors import Fault
from outflank.web import arena, explorer, lab, live, routes, thinking
from outflank.web.faults import NotFoundError, told, wrong_form
from outflank.web.guard import COOKIE, Guard
from outflank.web.lanes import BusyError
from outflank.web.services import Services
from outflank.web.settings import Settings

PAGE = Path(__file__).resolve().parent / "page"
MESSAGES = PAGE.parent.parent / "messages"
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""What the page is made of, and nothing else is sent."""

log = logging.getLogger("outflank.web")


def application(settings: Settings, cores: int) -> FastAPI:
    """A server that is ready to run. What is wrong with its settings is said here, before it runs."""
    services = Services.open(settings, cores)
    thinking.warm_up()

    @contextlib.asynccontextmanager
    async def lifetime(app: FastAPI) -> AsyncIterator[None]:
        # Ctrl-C ends the server, and no search by itself: a move cut short would be played.
        if threading.current_thread() is threading.main_thread():
            signal.set_wakeup_fd(-1)
        try:
            yield
        finally:
            await services.close()

    app = FastAPI(
        title="Outflank",
        version=__version__,
        description="Othello: positions, players, analysis, games and matches.",
        docs_url=None,  # its scripts would come from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifetime,
    )
    app.state.services = services
    app.include_router(routes.router)
    app.include_router(live.router)
    app.include_router(explorer.router)
    app.include_router(lab.router)
    app.include_router(arena.router)
    _serve_page(app)
    _answer_errors(app)
    app.add_middleware(GZipMiddleware, minimum_size=1024, compresslevel=5)
    app.add_middleware(Guard, hosts=settings.hosts)
    return app


class PageFiles(StaticFiles):
    """The page's own files, by their kinds. A browser asks each time whether its copy is still the latest."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        kind = KINDS.get(Path(path).suffix)
        if kind is None:
            raise NotFoundError("web.no-file")
        answer = await super().get_response(path, scope)
        answer.headers["cache-control"] = "no-cache"
        if answer.status_code == 200:
            answer.headers["content-type"] = kind
        return answer


def _serve_page(app: FastAPI) -> None:
    files = PageFiles(directory=PAGE)

    async def index(request: Request) -> Response:
        answer = await files.get_response("index.html", request.scope)
        if COOKIE not in request.cookies:
            answer.set_cookie(COOKIE, secrets.token_urlsafe(12), max_age=31_536_000, httponly=True, samesite="strict")
        return answer

    for path in ("/", "/b/{board}", "/analyse", "/lab", "/arena"):
        app.add_api_route(path, index, methods=["GET"], include_in_schema=False)
    app.mount("/page", files)
    app.mount("/messages", PageFiles(directory=MESSAGES))


def _answer_errors(app: FastAPI) -> None:
    async def invalid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return _problem(422, wrong_form(error.errors()))

    async def refused(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return _problem(error.status_code, ValueError(error.detail), dict(error.headers or {}))

    async def not_found(_: Request, error: Exception) -> Response:
        return _problem(404, error)

    async def busy(_: Request, error: Exception) -> Response:
        return _problem(429, error)

    async def wrong(_: Request, error: Exception) -> Response:
        return _problem(400, error)

    async def disk(_: Request, error: Exception) -> Response:
        log.error("the games cannot be kept: %s", error)
        return _problem(503, Fault("web.disk-full"))

    async def failed(_: Request, error: Exception) -> Response:
        log.exception("a request failed", exc_info=error)
        return _problem(500, Fault("web.failed"))

    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, refused)
    app.add_exception_handler(NotFoundError, not_found)
    app.add_exception_handler(BusyError, busy)
    app.add_exception_handler(ValueError, wrong)
    app.add_exception_handler(sqlite3.Error, disk)
    app.add_exception_handler(Exception, failed)


def _problem(status: int, why: Exception, headers: dict[str, Any] | None = None) -> Response:
    return JSONResponse(told(why), status, headers)
