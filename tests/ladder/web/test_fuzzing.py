"""No request causes an internal error."""

from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ladder.web.conftest import Running
from tests.support.data.league import League

PATHS = (
    *("/", "/games", "/games/{}", "/bots/{}", "/runs/{}", "/compare", "/static/{}/{}", "/{}"),
    *("/play", "/play/{}", "/play/{}/state", "/games/{}/review", "/boards"),
    *("/api/standings", "/api/runs", "/api/games", "/api/games/{}", "/api/compare", "/api/{}"),
)
NAMES = (
    *("division", "bot", "opponent", "result", "side", "ending", "board", "shortest", "longest"),
    *("run", "since", "before", "limit", "bots", "one", "other", "seen", "game", "ply", "nosuch"),
    "upsets",
)
WORDS = (
    "alpha", "beta", "alpha,beta", "1", "2", "0", "-1", "1e9", "9" * 19, "9" * 25, "won", "first",
    "forfeit", "crash", "6x7", "99x99@1,1", "2026-11-20", "0001-01-01", "9999-12-31T23:59:59",
    "NaN", "inf", "p1", "p0", "..", "%", "\x00", "<script>", "'", '"', "\u202e", "\ud83d\ude00",
    "style.css", "1_0", "\u0661", " ", ",",
)  # fmt: skip
text = st.one_of(st.sampled_from(WORDS), st.text(max_size=12))
requests = st.tuples(
    st.sampled_from(PATHS),
    text,
    text,
    st.lists(st.tuples(st.sampled_from(NAMES), text), max_size=4),
    st.sampled_from(("GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS")),
    st.sampled_from(("text/html", "application/json", "", "*/*")),
)


def coded(word: str) -> str:
    return quote(word.encode("utf-8", "surrogatepass"), safe="")


@pytest.fixture
def played(league: League, server: Running) -> Running:
    """Return a server of a database with games."""
    league.pairs(league.run(), "alpha", "beta", 2, "1-0", "0-1")
    return server


often = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.very_slow
@often
@given(request=requests)
def test_no_request_causes_an_internal_error(played: Running, request: object) -> None:
    """The answer to any request is a page or a refusal, never status 500."""
    path, one, other, parameters, method, accept = request  # type: ignore[misc]
    query = "&".join(f"{name}={coded(value)}" for name, value in parameters)
    address = path.format(coded(one), coded(other)) + (f"?{query}" if query else "")
    token = played.known_token
    answer = played.ask(address, method=method, headers={"Accept": accept}, token=token)
    assert answer.status < 500, (address, method, answer.text)


VALUES = st.one_of(
    text,
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.none(),
    st.booleans(),
    st.lists(st.integers(), max_size=2),
)
FIELDS = st.dictionaries(
    st.one_of(
        st.sampled_from(
            ("bot", "kind", "amount", "board", "side", "game", "ply", "save", "word", "column")
        ),
        text,
    ),
    VALUES,
    max_size=5,
)
STARTS: dict[str, object] = {"bot": "alpha", "kind": "time_ms", "amount": 5, "board": "6x7"}
NEARLY = st.builds(lambda changes: {**STARTS, **changes}, FIELDS)
BODIES = st.one_of(NEARLY, FIELDS, VALUES)


@pytest.mark.slow
@often
@given(body=BODIES, path=st.sampled_from(("/play", "/play/{}")), word=text)
def test_no_body_causes_an_internal_error(
    played: Running, body: object, path: str, word: str
) -> None:
    """The answer to any body is a document or a refusal, never status 500."""
    address = path.format(coded(word))
    answer = played.ask(address, method="POST", body=body, token=played.known_token)
    assert answer.status != 500, (address, body, answer.text)
    assert answer.status < 400 or "error" in answer.document
