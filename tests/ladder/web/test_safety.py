"""Access checks, and the headers of every answer."""

import base64
import time
from pathlib import Path

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


def test_a_foreign_origin_is_refused(server: Running) -> None:
    """Requests from other sites are refused, even if they only read."""
    token = server.token
    for origin in ("http://evil.example", "null", "http://localhost:1"):
        for method in ("GET", "POST"):
            answer = server.ask("/", method=method, headers={"Origin": origin}, token=token)
            assert answer.status == 403, origin


def test_a_change_needs_the_token(server: Running) -> None:
    """A request with changes needs the token of this server's pages."""
    for token in ("", "x", server.token[:-1]):
        answer = server.ask("/", method="POST", token=token)
        assert answer.status == 403
        assert "token" in answer.document["error"]
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
    for query in (
        "?divsion=1",
        "?division=%00",
        "?division=" + "x" * 300,
    ):
        assert server.ask("/" + query).status == 400
    assert server.ask("/?division=77").status == 404


def test_other_machines_need_a_password(league: League, tmp_path: Path) -> None:
    """A public address needs a password file that only the user can read."""
    database = str(league.store.path)
    with pytest.raises(UsageError, match="--password-file FILE"):
        serve(ServerOptions(database, UNCONFINED, host="0.0.0.0", port=0), lambda _: None)  # noqa: S104
    file = tmp_path / "password"
    file.write_text("short\n")
    file.chmod(0o600)
    with pytest.raises(UsageError, match="8 to"):
        serve(ServerOptions(database, UNCONFINED, port=0, password_file=file), lambda _: None)
    file.write_text("long enough\n")
    file.chmod(0o644)
    with pytest.raises(UsageError, match="chmod 600"):
        serve(ServerOptions(database, UNCONFINED, port=0, password_file=file), lambda _: None)
    with pytest.raises(UsageError, match="cannot be read"):
        serve(
            ServerOptions(database, UNCONFINED, port=0, password_file=tmp_path / "none"),
            lambda _: None,
        )


def test_the_password_is_required(league: League, start_server: Start, tmp_path: Path) -> None:
    """Only the right password opens pages, also after wrong ones."""
    file = tmp_path / "password"
    file.write_text("correct horse\n")
    file.chmod(0o600)
    server = start_server(league.store.path, password_file=file)

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
    """A port in use and a foreign host are refused with a remedy."""
    with pytest.raises(UsageError, match=r"^port: "):
        serve(
            ServerOptions(str(league.store.path), UNCONFINED, port=server.port),
            lambda _: None,
        )
    with pytest.raises(UsageError, match=r"^host: "):
        serve(
            ServerOptions(str(league.store.path), UNCONFINED, host="localhost.", port=server.port),
            lambda _: None,
        )
