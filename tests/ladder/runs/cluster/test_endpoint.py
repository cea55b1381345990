"""Addresses of schedulers, and the first connection to one."""

import socket
import time
from pathlib import Path

import pytest
from distributed import LocalCluster

from ladder.errors import UsageError
from ladder.runs.cluster.endpoint import Endpoint, parse_endpoint
from tests.support.cluster import QUIET, make_certificates

NO_FILES = (None, None, None)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("lab1", "tcp://lab1:8786"),
        ("10.0.0.1:99", "tcp://10.0.0.1:99"),
        ("tcp://[::1]:99", "tcp://[::1]:99"),
        ("tls://lab1", "--tls-ca-file, --tls-cert and --tls-key"),
        ("http://lab1", "write HOST:PORT"),
        ("lab1:port", "write HOST:PORT"),
        ("", "write HOST:PORT"),
    ],
)
def test_addresses_without_certificates(address: str, expected: str) -> None:
    """A scheme needs what it says; a port is optional."""
    try:
        found = parse_endpoint(address, *NO_FILES, option="cluster").address
    except UsageError as error:
        found = str(error)
    assert expected in found


def test_addresses_with_certificates(tmp_path: Path) -> None:
    """Certificates mean TLS; they must exist, be whole and be of use."""
    files = make_certificates(tmp_path)[1::2]
    assert parse_endpoint("lab1", *files, option="cluster").address == "tls://lab1:8786"
    for address, given, sentence in (
        ("tcp://lab1", files, "write tls://"),
        ("lab1", (files[0], None, None), "needs certificates"),
        ("lab1", (files[0], files[1], str(tmp_path / "none")), "check --tls-ca-file"),
        ("lab1", (files[0], files[0], files[0]), "check --tls-ca-file"),
    ):
        with pytest.raises(UsageError, match=sentence):
            parse_endpoint(address, *given, option="cluster")


def sentence_of(endpoint: Endpoint) -> str:
    with pytest.raises(UsageError) as caught:
        endpoint.check(patience_s=3.0)
    return str(caught.value)


@pytest.mark.slow
def test_what_does_not_answer_as_a_scheduler_is_named_soon() -> None:
    """No process, one that is silent, and another version are refused in a sentence."""
    begun = time.monotonic()
    closed = parse_endpoint("127.0.0.1:1", *NO_FILES, option="cluster")
    assert "no Dask scheduler answers at tcp://127.0.0.1:1 within 3 s (" in sentence_of(closed)
    assert "object at" not in sentence_of(closed)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        sentence = sentence_of(parse_endpoint(address, *NO_FILES, option="cluster"))
        assert f"no Dask scheduler answers at tcp://{address} within 3 s" in sentence
    assert time.monotonic() - begun < 60
    with LocalCluster(n_workers=0, **QUIET) as cluster:
        address = cluster.scheduler.address.removeprefix("tcp://")
        plain = parse_endpoint(address, *NO_FILES, option="cluster")
        plain.check()
        cluster.scheduler.handlers["versions"] = lambda: {"packages": {"distributed": "1.0"}}
        assert "has distributed 1.0, and this is" in sentence_of(plain)
