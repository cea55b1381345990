"""Rights: a table of all requests that change something, and who may send them."""

from typing import Any

import pytest
from starlette.routing import Route

from db.records.queue import NewEntry
from db.records.tokens import Right
from ladder.queue.tokens import create_token
from ladder.web.app import routes
from tests.ladder.web.conftest import Running
from tests.ladder.web.test_sign_in import bearer
from tests.support.data.league import League

ANYONE, SUBMIT, OWN, MANAGE = "anyone", "submit", "own", "manage"
RIGHTS = {
    "/games/{game}/review": ANYONE,
    "/play": ANYONE,
    "/play/consult": ANYONE,
    "/play/{key}": ANYONE,
    "/api/queue": SUBMIT,
    "/api/queue/cost": ANYONE,
    "/api/queue/{job}": OWN,
    "/api/sign-in": ANYONE,
    "/api/sign-out": ANYONE,
}
"""Who may send each request that changes something, or that starts work."""
BODIES: dict[str, dict[str, Any]] = {
    "/api/queue": {"command": "worker"},
    "/api/queue/{job}": {"word": "pause"},
}
PATHS = {path: path.format(game=1, key="x", job=1) for path in RIGHTS}
GUARDED = [path for path, right in RIGHTS.items() if right != ANYONE]


@pytest.fixture
def entered(league: League) -> League:
    """Return a database with an experiment of ann."""
    league.store.queue.add(
        NewEntry(command="run", arguments=("--games", "2"), folder="/", author="ann", host="h")
    )
    return league


def test_each_request_that_changes_something_has_its_right() -> None:
    """A new request stands in the table before it is served."""
    posted = {
        each.path for each in routes() if isinstance(each, Route) and "POST" in (each.methods or ())
    }
    assert posted == set(RIGHTS)
    others = {
        method for each in routes() if isinstance(each, Route) for method in each.methods or ()
    }
    assert others == {"GET", "HEAD", "POST"}


@pytest.mark.parametrize("path", RIGHTS)
def test_another_site_changes_nothing(server: Running, path: str) -> None:
    """A request without the token of the pages, or with another origin, is refused at once."""
    place, token = PATHS[path], server.known_token
    assert server.ask(place, method="POST", body={}).status == 403
    foreign = {"Origin": "http://evil.example"}
    refused = server.ask(place, method="POST", body={}, token=token, headers=foreign)
    assert refused.status == 403
    assert "another site" in refused.document["error"]


@pytest.mark.parametrize("path", GUARDED)
def test_the_token_of_the_pages_gives_no_right(entered: League, server: Running, path: str) -> None:
    """A visitor who has not signed in, or who may only read, is refused with a sentence."""
    place, body = PATHS[path], BODIES[path]
    refused = server.ask(place, method="POST", body=body, token=server.known_token)
    assert refused.status == 403
    assert "this needs a token" in refused.document["error"]
    secret, _ = create_token(entered.store, "eve", Right.READ)
    refused = server.ask(place, method="POST", body=body, headers=bearer(secret))
    assert refused.status == 403
    assert "allows to read" in refused.document["error"]


@pytest.mark.parametrize("path", GUARDED)
def test_the_right_to_submit_changes_nothing_of_others(
    entered: League, server: Running, path: str
) -> None:
    """It submits, and changes one's own experiments only; the right to manage passes all checks."""
    place, body = PATHS[path], BODIES[path]
    answers = {}
    for name, right in (("bob", Right.SUBMIT), ("ann", Right.SUBMIT), ("root", Right.MANAGE)):
        secret, _ = create_token(entered.store, name, right)
        answers[name] = server.ask(place, method="POST", body=body, headers=bearer(secret)).status
        if right is not Right.MANAGE and answers[name] == 200:
            entered.store.queue.resume(1)
    allowed = {
        SUBMIT: {"bob", "ann", "root"},
        OWN: {"ann", "root"},
        MANAGE: {"root"},
    }[RIGHTS[path]]
    assert {name for name, status in answers.items() if status != 403} == allowed
