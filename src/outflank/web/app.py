"""The server as an ASGI application: the parts put together, the page's files, and errors in one line."""

import contextlib
import logging
import signal
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from outflank import __version__
from outflank.errors import Fault
from outflank.web import arena, explorer, games, lab, live, routes, solved, trainer
from outflank.web.elsewhere import Question
from outflank.web.faults import NotFoundError, told, wrong_form
from outflank.web.guard import Guard
from outflank.web.lanes import BusyError
from outflank.web.schemas import Pasted
from outflank.web.services import Services
from outflank.web.settings import Settings
from outflank.web.visitors import COOKIE, Visitors
from outflank.web.warming import Warming

PARTS = (routes, games, live, explorer, lab, arena, trainer, solved)
"""Each has a router."""
PAGE = Path(__file__).resolve().parent / "page"
MESSAGES = PAGE.parent.parent / "messages"
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
}
"""What the page is made of, and nothing else is sent."""

log = logging.getLogger("outflank.web")


def application(settings: Settings, cores: int, warming: Warming | None = None) -> FastAPI:
    """A server that is ready to run. Wrong settings raise an error here, before it runs."""
    services = Services(settings, cores, warming)
    if services.warming.step:
        threading.Thread(target=services.warm_up, name="outflank-warm-up", daemon=True).start()
    else:
        services.warm_up()

    services.prepare(Question(routes.read_text, (Pasted(text="f5"),)))

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
    for part in PARTS:
        app.include_router(part.router)
    _serve_page(app, services.visitors)
    for kind in (RequestValidationError, HTTPException, ValueError, sqlite3.Error, Exception):
        app.add_exception_handler(kind, _told)
    app.add_middleware(GZipMiddleware, minimum_size=1024, compresslevel=5)
    app.add_middleware(Guard, answers_to=settings.answers_to)
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


def _serve_page(app: FastAPI, visitors: Visitors) -> None:
    files = PageFiles(directory=PAGE)

    async def index(request: Request) -> Response:
        answer = await files.get_response("index.html", request.scope)
        address = request.client.host if request.client else ""
        if visitors.of(request) == address and (cookie := visitors.cookie(address)):
            # Sent with a link from elsewhere too, else a guest who follows one twice would be two people. What
            # changes something has to come from a page of ours anyway.
            answer.set_cookie(COOKIE, cookie, max_age=31_536_000, httponly=True, samesite="lax")
        return answer

    for path in ("/", "/b/{board}", "/analyse", "/lab", "/arena", "/train", "/players"):
        app.add_api_route(path, index, methods=["GET"], include_in_schema=False)
    app.mount("/page", files)
    app.mount("/messages", PageFiles(directory=MESSAGES))


async def _told(_: Request, error: Exception) -> Response:
    """Every error in one line and by its code."""
    headers, why = None, error
    match error:
        case RequestValidationError():
            status, why = 422, wrong_form(error.errors())
        case HTTPException():
            status, why, headers = error.status_code, ValueError(error.detail), error.headers
        case NotFoundError():
            status = 404
        case BusyError():
            status = 429
        case ValueError():
            status = 400
        case sqlite3.Error():
            log.error("the games cannot be kept: %s", error)
            status, why = 503, Fault("web.disk-full")
        case _:
            log.exception("a request failed", exc_info=error)
            status, why = 500, Fault("web.failed")
    return JSONResponse(told(why), status, headers)
