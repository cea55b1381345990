"""Access checks, and the headers of every answer."""

import base64
import contextlib
import socket
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from ladder.errors import UsageError
from ladder.web.server import ServerOptions, serve
from tests.ladder.web.conftest import Running, Start
from tests.support.data.league import League
from tests.support.unconfined import UNCONFINED


def test_a_foreign_host_is_refused(server: Running) -> None:
    """A host name that a foreign name server can point at this machine is refused."""
    strange = ("evil.example", "127.0.0.1.evil.example", "a@127.0.0.1", "1.2.3.4")
    for host in (*strange, "[::1", "", "localhost:x"):
        assert server.ask("/", headers={"Host": host}).status == 400, host
        refused = server.ask("/api/runs", headers={"Host": host})
        assert (refused.status, "another host name" in refused.document["error"]) == (400, True)


def test_a_malformed_chunk_is_refused(server: Running, caplog: pytest.LogCaptureFixture) -> None:
    """The client is answered, and nothing on the terminal calls it an error of the server."""
    headers = {"Transfer-Encoding": "chunked"}
    for path in ("/play", "/nosuch", "/api/games"):
        answer = server.ask(path, method="POST", headers=headers, raw=b"zz\r\n", token=server.token)
        # Pages that need no body may be refused before it has come.
        assert answer.status in ({400} if path == "/play" else {400, 404, 405}), path
    assert [record.message for record in caplog.records if record.name == "ladder.web"] == []


def test_a_foreign_origin_is_refused(server: Running) -> None:
    """Requests from other sites are refused, even if they only read."""
    token = server.token
    for origin in ("http://evil.example", "null", "http://localhost:1"):
        for method in ("GET", "POST"):
            answer = server.ask("/play", method=method, headers={"Origin": origin}, token=token)
            assert answer.status == 403, origin


def test_a_change_needs_the_token(server: Running) -> None:
    """A request with changes needs the token of this server's pages."""
    for token in ("", "x", server.token[:-1]):
        answer = server.ask("/play", method="POST", token=token)
        assert answer.status == 403
        assert "token" in answer.document["error"]
    assert server.ask("/play", method="POST", token=server.token).status == 400
    assert server.ask("/", method="POST", token=server.token).status == 405


def test_every_answer_has_security_headers(server: Running) -> None:
    """Every answer forbids inline scripts and frames."""
    for path, host in (("/", None), ("/nosuch", None), ("/static/x/page.js", None), ("/", "evil")):
        headers = server.ask(path, headers={} if host is None else {"Host": host}).headers
        policy = headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe-eval" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "server" not in headers


def test_no_path_leads_to_a_file(server: Running) -> None:
    """Only the static files of the pages can be read."""
    for path in (
        "/static/../pyproject.toml",
        "/static/x/..%2f..%2fpage.py",
        "/static/x/%2e%2e",
        "/static/x//etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/static/x/base.html.j2",
        "/static/x/style.css%00",
    ):
        assert server.ask(path).status == 404, path


def test_unknown_and_bad_parameters_are_refused(server: Running) -> None:
    """An unknown parameter is named."""
    for path in (
        *("/?divsion=1", "/?division=%00", "/?division=" + "x" * 300),
        *("/boards?a=1", "/games/1/review?a=1", "/play/x/state?a=1", "/api/runs?a=1"),
    ):
        assert server.ask(path).status == 400, path
    assert server.ask("/?division=77").status == 404


@pytest.fixture
def password(tmp_path: Path) -> Path:
    """Return a file with a password."""
    file = tmp_path / "password"
    file.write_text("correct horse\n")
    file.chmod(0o600)
    return file


def test_other_machines_need_a_password(league: League, password: Path) -> None:
    """A public address needs a password file that only the user can read."""

    def refused(**options: Any) -> str:
        given = ServerOptions(str(league.store.path), UNCONFINED, **{"port": 0, **options})
        with pytest.raises(UsageError) as error:
            serve(given, lambda _: None)
        return str(error.value)

    assert "--password-file FILE" in refused(host="0.0.0.0")  # noqa: S104
    assert refused(host="nosuch.invalid", password_file=password).startswith("host: ")
    assert "cannot be read" in refused(password_file=password.with_name("none"))
    password.chmod(0o644)
    assert "chmod 600" in refused(password_file=password)
    password.chmod(0o600)
    password.write_text("short\n")
    assert "8 to" in refused(password_file=password)


def test_all_addresses_of_a_machine_can_be_used(
    league: League, start_server: Start, password: Path
) -> None:
    """A server at ``::`` answers at addresses of IPv4, too."""
    server = start_server(league.store.path, host="::", password_file=password)
    assert server.address.startswith("http://[::]:")
    assert server.ask("/").status == 401


def test_the_password_is_required(league: League, start_server: Start, password: Path) -> None:
    """Only the right password opens pages, also after wrong ones."""
    server = start_server(league.store.path, password_file=password)

    def with_password(word: str) -> dict[str, str]:
        coded = base64.b64encode(f"anybody:{word}".encode()).decode()
        return {"Authorization": f"Basic {coded}"}

    asked = server.ask("/")
    assert asked.status == 401
    assert asked.headers["www-authenticate"].startswith("Basic")
    assert "alpha" not in asked.text
    begun = time.monotonic()
    wrong = ["Basic ???", "Bearer abc", "Basic " + base64.b64encode(b"admin").decode()]
    for header in (*wrong, *(with_password(f"horse {n}")["Authorization"] for n in range(6))):
        assert server.ask("/", headers={"Authorization": header}).status == 401
    right = server.ask("/", headers=with_password("correct horse"))
    assert right.status == 200
    assert time.monotonic() - begun < 5.0  # no attempt delays another


def test_a_taken_port_is_named(league: League, server: Running) -> None:
    """A port in use is refused with a remedy."""
    with pytest.raises(UsageError, match=r"^port: "):
        serve(
            ServerOptions(str(league.store.path), UNCONFINED, port=server.port),
            lambda _: None,
        )


@pytest.mark.slow
def test_a_locked_database_is_awaited(league: League, server: Running) -> None:
    """Pages try again until it can be read, and scripts get status 503 and a sentence."""
    with contextlib.closing(sqlite3.connect(str(league.store.path))) as other:
        league.store.close()
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        page, document = server.ask("/"), server.ask("/api/runs")
    assert (page.status, document.status) == (503, 503)
    assert "tries again" in page.text
    assert list(document.document) == ["error"]
    assert server.ask("/").status == 200


def test_a_connection_that_outlasts_the_server_is_closed(
    league: League, start_server: Start
) -> None:
    """Without time for its answers the server leaves no socket open."""
    server = start_server(league.store.path, shutdown_s=0.0)
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        assert server.ask("/").status == 200
        server.end()
        with contextlib.suppress(ConnectionResetError):
            assert connection.recv(1) == b""
