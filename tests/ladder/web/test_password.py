"""The password of a server, and the delay after a wrong one."""

import asyncio
import base64

import pytest

from ladder.web.errors import Busy, Unauthorized
from ladder.web.security.password import DELAYS_S, MAX_WAITING_PER_ADDRESS, BasicAuth
from tests.support.loops import run_apart

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
def test_every_wrong_password_waits_as_long(kind: str) -> None:
    """The pause after a wrong password does not depend on how it is wrong."""
    paused: list[float] = []

    async def pause(seconds: float) -> None:
        paused.append(seconds)

    async def tries() -> None:
        keeper = BasicAuth(RIGHT, pause=pause)
        for _ in range(len(DELAYS_S) + 1):
            with pytest.raises(Unauthorized, match="the password or the token is wrong"):
                await keeper.check(WRONG[kind], "10.0.0.1")
        await keeper.check(header(RIGHT, user="nobody knows"), "10.0.0.1")

    run_apart(tries())
    assert paused == [*DELAYS_S, DELAYS_S[-1]]


def test_attempts_from_one_address_do_not_lock_out_another() -> None:
    """The right password waits for one wrong attempt from another address, not for all."""
    order: list[str] = []

    async def scene() -> None:
        is_over = asyncio.Event()

        async def pause(seconds: float) -> None:
            order.append(f"wrong, {seconds} s")
            await is_over.wait()

        keeper = BasicAuth(RIGHT, pause=pause)
        guesses = [
            asyncio.create_task(keeper.check(header(f"guess {number}"), "10.0.0.66"))
            for number in range(MAX_WAITING_PER_ADDRESS)
        ]
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await keeper.check(header("one more"), "10.0.0.66")

        async def come_in() -> None:
            await keeper.check(header(RIGHT), "10.0.0.1")
            order.append("right")

        honest = asyncio.create_task(come_in())
        await asyncio.sleep(0)
        is_over.set()
        await honest
        assert order[:2] == ["wrong, 0.5 s", "right"]
        results = await asyncio.gather(*guesses, return_exceptions=True)
        assert [type(result) for result in results] == [Unauthorized] * MAX_WAITING_PER_ADDRESS

    run_apart(scene())
