"""Connections with incomplete requests, or with unread answers."""

import contextlib
import http.client
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.web.connections import ConnectionLimits, WaitingList, address_group
from tests.ladder.web.conftest import Running, Start
from tests.support.data.league import League

MANY = 1000
HALVES = {
    "nothing": b"",
    "head": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-",
    "body": b"POST /play HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{",
}
SOON = ConnectionLimits(head_s=0.3, body_s=0.3, answer_s=0.3)
PATIENT = ConnectionLimits(head_s=3600.0, body_s=3600.0)


@contextlib.contextmanager
def connected(server: Running, sent: bytes = b"") -> Iterator[socket.socket]:
    """Connect and send bytes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as made:
        made.sendall(sent)
        yield made


def answer_of(connection: socket.socket) -> bytes:
    """Return the bytes received until the server closes the connection."""
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while block := connection.recv(65536):
            received += block
    return received


@contextlib.contextmanager
def half_requests(server: Running, half: str) -> Iterator[None]:
    """Hold many connections with incomplete requests."""
    with contextlib.ExitStack() as held:
        for _ in range(MANY):
            made = socket.create_connection(("127.0.0.1", server.port), timeout=20)
            held.callback(made.close)
            with contextlib.suppress(ConnectionError):  # closed already: others came after it
                made.sendall(HALVES[half])
        yield


@pytest.mark.slow
@pytest.mark.parametrize("half", HALVES)
def test_a_thousand_incomplete_requests_block_no_client(
    league: League, start_server: Start, half: str
) -> None:
    """Other requests from the same address are answered meanwhile."""
    server = start_server(league.store.path, connections=PATIENT)
    with half_requests(server, half):
        for _ in range(3):
            assert server.ask("/api/runs").status == 200


@pytest.mark.slow
def test_incomplete_requests_before_the_password_block_no_client(
    league: League, start_server: Start, tmp_path: Path
) -> None:
    """A server with a password answers other requests meanwhile."""
    file = tmp_path / "password"
    file.write_text("correct horse\n")
    file.chmod(0o600)
    server = start_server(league.store.path, connections=PATIENT, password_file=file)
    with half_requests(server, "head"):
        assert server.ask("/api/runs").status == 401


@pytest.mark.timed
@pytest.mark.parametrize("half", HALVES)
def test_a_request_has_a_deadline(league: League, start_server: Start, half: str) -> None:
    """An incomplete request gets status 408 at its deadline; an idle connection is closed."""
    server = start_server(league.store.path, connections=SOON)
    with connected(server, HALVES[half]) as connection:
        received = answer_of(connection)
    if half == "nothing":
        assert received == b""
    elif half == "head":
        assert received.startswith(b"HTTP/1.1 408 ")
    else:  # refused for its missing token at once, and closed when its body does not come
        assert received.startswith(b"HTTP/1.1 403 ")


@pytest.mark.timed
def test_single_bytes_do_not_extend_the_deadline(league: League, start_server: Start) -> None:
    """The deadline counts from the first byte of a header."""
    server = start_server(league.store.path, connections=SOON)
    with connected(server, HALVES["head"]) as connection:
        connection.settimeout(0.02)
        received = b""
        end = time.monotonic() + 20
        while not received:
            assert time.monotonic() < end, "the request is still waited for"
            with contextlib.suppress(TimeoutError):
                received = connection.recv(65536)
            with contextlib.suppress(ConnectionError):
                connection.sendall(b"x")
    assert received.startswith(b"HTTP/1.1 408 ")


@pytest.mark.timed
def test_an_incomplete_body_is_no_internal_error(
    league: League, start_server: Start, caplog: pytest.LogCaptureFixture
) -> None:
    """An incomplete body is refused without an error in the log."""
    server = start_server(league.store.path, connections=SOON)
    head = (
        f"POST /play HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Ladder-Token: {server.token}\r\n"
        "Content-Length: 100\r\n\r\n{"
    ).encode()
    with connected(server, head) as connection:
        assert answer_of(connection).startswith(b"HTTP/1.1 408 ")
    with connected(server, head):
        pass
    assert server.ask("/").status == 200
    assert caplog.records == []


@pytest.mark.timed
@pytest.mark.slow
def test_an_unread_answer_is_aborted(league: League, start_server: Start) -> None:
    """A client that reads nothing loses its connection."""
    server = start_server(league.store.path, connections=SOON)
    page = server.ask("/").text
    address = max(
        (each.partition('"')[0] for each in page.split('src="')[1:]),
        key=lambda path: len(server.ask(path).text),
    )
    request = f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(20)
        connection.connect(("127.0.0.1", server.port))
        with pytest.raises(ConnectionError):
            send_for_ever(connection, request)


def send_for_ever(connection: socket.socket, request: bytes) -> None:
    """Send requests without reading, until the server accepts no more."""
    while True:
        connection.sendall(request)


def test_an_honest_browser_keeps_its_connection(league: League, start_server: Start) -> None:
    """Requests in pieces on one connection are all answered."""
    server = start_server(league.store.path, connections=ConnectionLimits(per_address=5))
    whole = b"GET /api/runs HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with connected(server) as connection:
        for cut in (0, 1, 20, len(whole) - 1):
            connection.sendall(whole[:cut])
            assert server.ask("/").status == 200
            connection.sendall(whole[cut:])
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            assert answer.status == 200
            answer.read()


def test_the_oldest_connections_are_closed_first() -> None:
    """The oldest connections of an address with too many are closed, and no others."""
    room = WaitingList[int](per_address=3, total=100)
    for number in range(5):
        room.enter("loud", number)
    assert room.is_full
    room.enter("quiet", 10)
    room.enter("loud", 0)  # keeps its place
    assert room.surplus(room.entered) == [0, 1]
    assert room.surplus(1) == [0]  # the other one is too new
    for number in (0, 1):
        room.leave("loud", number)
    room.leave("loud", 99)
    assert not room.is_full
    assert room.surplus(room.entered) == []


def test_large_groups_shrink_before_small_ones() -> None:
    """With too many connections in total, the share of each address shrinks, down to one."""
    room = WaitingList[int](per_address=100, total=10)
    for number in range(50):
        room.enter("loud", number)
        room.enter("louder", 100 + number)
    for number in range(2):
        room.enter("quiet", 200 + number)
    kept = {*range(50), *range(100, 150), 200, 201} - {*room.surplus(room.entered)}
    assert kept == {46, 47, 48, 49, 146, 147, 148, 149, 200, 201}
    many = WaitingList[int](per_address=100, total=10)
    for number in range(30):
        many.enter(f"address {number}", number)
    assert many.surplus(many.entered) == list(range(20))


def test_one_network_of_ipv6_is_one_address() -> None:
    """The addresses of an IPv6 network count as one address."""
    assert address_group("2001:db8::1") == address_group("2001:db8::ffff:2")
    assert address_group("2001:db8::1") != address_group("2001:db8:0:1::1")
    assert address_group("fe80::1%eth0") == "fe80::/64"
    assert address_group("::ffff:10.0.0.1") == "::ffff:10.0.0.1"
    assert address_group("127.0.0.1") == "127.0.0.1"
