"""Tokens: who may read and change what, and for how long."""

import base64
import re

import pytest

from db.records.tokens import Right
from ladder.errors import UsageError
from ladder.queue.tokens import create_token
from ladder.web.server import ServerOptions, serve
from tests.ladder.web.conftest import FORMS, Running, Start
from tests.support.data.league import League
from tests.support.unconfined import UNCONFINED

ANYWHERE = "0.0.0.0"  # noqa: S104 - a server that other machines can reach


def bearer(secret: str) -> dict[str, str]:
    """Return the header by which a script shows its token."""
    return {"Authorization": f"Bearer {secret}"}


def basic(secret: str) -> dict[str, str]:
    """Return the header of a browser whose user typed a token as the password."""
    return {"Authorization": "Basic " + base64.b64encode(f"me:{secret}".encode()).decode()}


def cookie_of(server: Running) -> dict[str, str]:
    """Return the cookie of a new browser."""
    return {"Cookie": server.ask("/").headers["set-cookie"].partition(";")[0]}


def sign_in(server: Running, cookie: dict[str, str], secret: str) -> int:
    """Give a token in the form and return the status."""
    body = {"token": secret}
    answer = server.ask(
        "/api/sign-in", method="POST", headers=cookie, body=body, token=server.known_token
    )
    return answer.status


@pytest.mark.slow
def test_a_server_without_a_password_can_be_read_by_tokens(
    league: League, start_server: Start
) -> None:
    """Other machines reach a server without a password only with a token, which may be deleted."""
    with pytest.raises(UsageError, match="ladder queue token NAME"):
        serve(
            ServerOptions(league.store.path, UNCONFINED, FORMS, host=ANYWHERE, port=0),
            lambda _: None,
        )
    secret, _ = create_token(league.store, "ann", Right.READ)
    server = start_server(league.store.path, host=ANYWHERE)
    assert server.ask("/").status == 401
    assert server.ask("/", headers=bearer(secret[:-1])).status == 401
    assert server.ask("/api/runs", headers=bearer(secret)).status == 200
    opened = server.ask("/", headers=basic(secret))
    assert opened.status == 200
    cookie = {"Cookie": opened.headers["set-cookie"].partition(";")[0]}
    assert server.ask("/", headers=cookie).status == 200
    league.store.tokens.delete("ann")
    assert server.ask("/", headers=cookie).status == 401
    assert server.ask("/", headers=bearer(secret)).status == 401


def test_a_wrong_token_is_refused_even_where_all_may_read(league: League, server: Running) -> None:
    """A script learns that its token is wrong instead of getting the rights of no token."""
    secret, _ = create_token(league.store, "ann", Right.READ)
    assert server.ask("/api/runs").status == 200
    assert server.ask("/api/runs", headers=bearer(secret)).status == 200
    refused = server.ask("/api/runs", headers=bearer("guess"))
    assert refused.status == 401
    assert "token is wrong" in refused.document["error"]


def test_scripts_need_no_token_of_a_page(league: League, server: Running) -> None:
    """A user's token replaces that of the server's pages, but not for requests of another site."""
    secret, _ = create_token(league.store, "ann", Right.SUBMIT)
    assert server.ask("/", method="POST").status == 403
    assert server.ask("/", method="POST", headers=bearer(secret)).status == 405
    foreign = bearer(secret) | {"Origin": "http://evil.example"}
    assert server.ask("/", method="POST", headers=foreign).status == 403


def test_a_browser_signs_in_and_out(league: League, server: Running) -> None:
    """A browser that gave a token is known by its cookie until it signs out."""
    secret, _ = create_token(league.store, "ann", Right.MANAGE)
    cookie = cookie_of(server)
    assert sign_in(server, cookie, "guess") == 401
    assert "Signed in as" not in server.ask("/queue", headers=cookie).text
    assert sign_in(server, cookie, secret) == 200
    assert re.search(r"Signed in as <strong>ann", server.ask("/queue", headers=cookie).text)
    assert league.store.tokens.all()[0].used_at is not None
    out = server.ask(
        "/api/sign-out", method="POST", headers=cookie, body={}, token=server.known_token
    )
    assert out.status == 200
    assert "Signed in as" not in server.ask("/queue", headers=cookie).text
