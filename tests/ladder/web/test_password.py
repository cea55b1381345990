"""The password of a server."""

import base64

import pytest

from ladder.web.security.password import BasicAuth

RIGHT = "correct horse"


def header(password: str, user: str = "anybody") -> str:
    """Return the header of a request with this password."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


WRONG = {
    "first letter": header("x" + RIGHT[1:]),
    "last letter": header(RIGHT[:-1] + "x"),
    "short": header("c"),
    "empty": header(""),
    "long": header(RIGHT * 500),
    "user without password": "Basic " + base64.b64encode(b"admin").decode(),
    "not base64": "Basic ???",
    "not UTF-8": "Basic " + base64.b64encode(b"a:\xff\xfe").decode(),
    "another scheme": "Bearer abc",
    "nothing": "",
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_password_is_refused(kind: str) -> None:
    """The right password is accepted with any user name, and no other is."""
    auth = BasicAuth(RIGHT)
    assert not auth.is_right(WRONG[kind])
    assert auth.is_right(header(RIGHT, user="nobody knows"))
