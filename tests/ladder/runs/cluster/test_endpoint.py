"""Addresses of schedulers, and the first connection to one."""

import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
from distributed import LocalCluster
from distributed.security import Security

from ladder.errors import UsageError
from ladder.runs.cluster.endpoint import Endpoint, find_dashboard, parse_endpoint
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


@pytest.mark.slow
def test_certificates_that_do_not_fit_are_named(tmp_path: Path) -> None:
    """A scheduler under TLS is no missing one, and neither is one without TLS."""
    (tmp_path / "other").mkdir()
    ours, others = (make_certificates(each)[1::2] for each in (tmp_path, tmp_path / "other"))
    own = {
        f"tls_{role}_{kind}": file
        for role in ("scheduler", "client")
        for kind, file in zip(("cert", "key"), ours[1:], strict=True)
    }
    security = Security(tls_ca_file=ours[0], require_encryption=True, **own)  # type: ignore[no-untyped-call]
    with LocalCluster(n_workers=0, security=security, **{**QUIET, "protocol": "tls"}) as cluster:
        address = cluster.scheduler.address.removeprefix("tls://")
        parse_endpoint(address, *ours, option="cluster").check()
        for files, sentence in (
            (NO_FILES, f"the scheduler at tcp://{address} is encrypted: give --tls-ca-file"),
            (others, "has a certificate of another authority (self-signed certificate): check"),
            ((ours[0], *others[1:]), "refuses this machine's certificate: check --tls-ca-file"),
        ):
            assert sentence in sentence_of(parse_endpoint(address, *files, option="cluster"))
    with LocalCluster(n_workers=0, **QUIET) as cluster:
        address = cluster.scheduler.address.removeprefix("tcp://")
        sentence = sentence_of(parse_endpoint(address, *ours, option="cluster"))
        assert "has no encryption: write tcp://" in sentence


@pytest.mark.parametrize(("status", "is_there"), [(405, True), (401, True), (404, False)])
def test_a_web_server_without_the_page_is_no_dashboard(status: int, is_there: bool) -> None:
    """That of `dask scheduler --no-dashboard` answers 404; Dask's page does not know HEAD."""

    class Answer(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_error(status)

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever).start()
        client = SimpleNamespace(dashboard_link=f"http://127.0.0.1:{server.server_port}/status")
        assert find_dashboard(client) == (client.dashboard_link if is_there else "")
        server.shutdown()
    assert find_dashboard(client) == ""
