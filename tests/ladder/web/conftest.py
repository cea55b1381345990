"""A server on a free port, its answers, and a browser."""

import contextlib
import http.client
import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import psutil
import pytest

from db.records.bots import NewBot
from db.store import Store
from ladder.registry.specs.spec import BotSource, pack_bot
from ladder.web.server import Listening, ServerOptions, serve
from tests.support.browser import Opened, Tabs
from tests.support.data.league import League
from tests.support.unconfined import UNCONFINED


@dataclass(frozen=True)
class Answer:
    """An answer of the server."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def document(self) -> Any:
        """The body as JSON."""
        return json.loads(self.text)


class Running:
    """A server in a thread of the test."""

    def __init__(self, options: ServerOptions) -> None:
        self._over = threading.Event()
        self._listening: list[Listening] = []
        self._failure: list[BaseException] = []
        is_up = threading.Event()

        def announce(listening: Listening) -> None:
            self._listening.append(listening)
            is_up.set()

        def run() -> None:
            try:
                serve(options, announce, is_over=self._over.is_set)
            except BaseException as error:
                self._failure.append(error)
                is_up.set()

        self._thread = threading.Thread(target=run, name="server")
        self._thread.start()
        assert is_up.wait(30)
        if self._failure:
            raise self._failure[0]
        self.address = self._listening[0].address
        self.port = int(self.address.rstrip("/").rpartition(":")[2])

    def end(self) -> None:
        """Stop the server and wait."""
        self._over.set()
        self._thread.join(20)
        assert not self._thread.is_alive()
        assert not self._failure, self._failure

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        headers: dict[str, str] | None = None,
        body: object = None,
        raw: bytes | None = None,
        token: str = "",
        timeout_s: float = 20.0,
    ) -> Answer:
        """Send a request and return the answer."""
        given = {"Host": f"127.0.0.1:{self.port}", **(headers or {})}
        data = raw if body is None else json.dumps(body)
        if token:
            given["X-Ladder-Token"] = token
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout_s)
        try:
            connection.request(method, path, data, given)
            answer = connection.getresponse()
            text = answer.read().decode()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, text)
        finally:
            connection.close()

    @cached_property
    def known_token(self) -> str:
        """The token of the server's pages."""
        return self.token

    @property
    def token(self) -> str:
        """Return the token of the server's pages."""
        found = re.search(r'name="ladder-token" content="([^"]+)"', self.ask("/").text)
        assert found
        return found[1]


Start = Callable[..., Running]


@pytest.fixture
def start_server() -> Iterator[Start]:
    """Return a function that starts servers, which end with the test."""
    started: list[Running] = []

    def start(database: object, **options: Any) -> Running:
        running = Running(
            ServerOptions(str(database), port=0, **{"confinement": UNCONFINED, **options})
        )
        started.append(running)
        return running

    yield start
    for running in started:
        running.end()


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    """Return a database with three bots and no games."""
    with League(tmp_path / "league.db", "alpha", "beta", "gamma") as made:
        yield made


def add_untried(database: str, name: str, spec: str, folder: Path) -> None:
    """Register a bot of a folder without its trial."""
    bot = replace(pack_bot(BotSource(spec, folder)), budgets=("any",))
    with Store.open(database) as store:
        store.bots.add(NewBot(name, "foreign", spec, bot))


@pytest.fixture
def server(league: League, start_server: Start) -> Running:
    """Return a server of that database."""
    return start_server(league.store.path)


@pytest.fixture
def visit(tabs: Tabs) -> Iterator[Callable[..., Opened]]:
    """Return a function that opens pages in tabs, narrow ones as on a phone."""
    with tabs.lend() as open_tab:

        def visiting(address: str, *, width: int = 1280, scheme: str = "light") -> Opened:
            return open_tab(address, width=width, scheme=scheme, has_touch=width < 500)

        yield visiting


def children_with(word: str) -> list[int]:
    """Return the processes below this one that have a word in their command."""
    found = []
    for each in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):  # it has just ended
            if word in " ".join(each.cmdline()):
                found.append(each.pid)
    return found
