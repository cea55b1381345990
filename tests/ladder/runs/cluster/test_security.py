"""Addresses of schedulers: what is open to the network is refused, and certificates are made."""

import asyncio
import ssl
from dataclasses import replace
from pathlib import Path

import pytest
from distributed import Scheduler

from ladder.cli.main import run_command
from ladder.errors import UsageError
from ladder.runs.cluster.certificates import make_certificates
from ladder.runs.cluster.security import (
    AUTHORITY,
    CERTIFICATE,
    KEY,
    SchedulerEndpoint,
    Unreachable,
    check_scheduler,
    parse_endpoint,
)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1:9000", "tcp://127.0.0.1:9000"),
        ("localhost", "tcp://localhost:8786"),
        ("tcp://[::1]:9000", "tcp://[::1]:9000"),
    ],
)
def test_a_loopback_address_needs_no_certificates(address: str, expected: str) -> None:
    """Only processes of this machine reach it."""
    assert parse_endpoint(address, None, insecure=False, option=None).address == expected


@pytest.mark.parametrize("address", ["lab1:8786", "10.0.0.3", "0.0.0.0:8786", "tcp://[fe80::1]:1"])
def test_an_address_on_the_network_needs_certificates(address: str) -> None:
    """Without them any client of the port runs programs, so the user has to allow it."""
    with pytest.raises(UsageError, match="ladder cluster certificates"):
        parse_endpoint(address, None, insecure=False, option="cluster")
    assert parse_endpoint(address, None, insecure=True, option="cluster").protocol == "tcp"


@pytest.mark.parametrize("address", ["", "http://lab1", "tcp://", "lab1:many", "lab1:8786/x"])
def test_a_text_that_is_no_address_is_refused(address: str) -> None:
    """The sentence must explain how an address is written."""
    with pytest.raises(UsageError, match="HOST:PORT"):
        parse_endpoint(address, None, insecure=True, option="cluster")


def test_a_set_of_certificates_is_private(tmp_path: Path) -> None:
    """The files must work together, be readable by the user alone, and not be written over."""
    folder = tmp_path / "set"
    assert run_command(["cluster", "certificates", str(folder)]) == 0
    assert run_command(["cluster", "certificates", str(folder)]) == 2
    assert {path.name for path in folder.iterdir()} == {AUTHORITY, CERTIFICATE, KEY}
    assert {path.stat().st_mode & 0o077 for path in (folder, *folder.iterdir())} == {0}
    context = ssl.create_default_context(cafile=str(folder / AUTHORITY))
    context.load_cert_chain(folder / CERTIFICATE, folder / KEY)
    endpoint = parse_endpoint("lab1", folder, insecure=False, option="cluster")
    assert endpoint.address == "tls://lab1:8786"
    assert endpoint.security().get_listen_args("scheduler")["require_encryption"]
    (folder / KEY).unlink()
    with pytest.raises(UsageError, match=KEY):
        parse_endpoint("lab1", folder, insecure=False, option="cluster")


def failure_at(served: SchedulerEndpoint, reached: SchedulerEndpoint) -> str:
    """Return why a scheduler is not reached that serves at one endpoint; "" when it is."""

    async def reach() -> str:
        async with Scheduler(
            host=served.host, port=0, protocol=served.protocol, security=served.security(),
            dashboard=False, dashboard_address="127.0.0.1:0",
        ) as scheduler:  # fmt: skip
            port = int(scheduler.port)
            try:
                await check_scheduler(replace(reached, port=reached.port or port), patience_s=1.0)
            except Unreachable as error:
                return str(error)
            return ""

    return asyncio.run(reach())


@pytest.mark.slow
def test_a_failed_connection_gives_the_reason(tmp_path: Path) -> None:
    """Other certificates, none, and a scheduler without any have messages of their own."""
    for name in ("ours", "theirs"):
        assert run_command(["cluster", "certificates", str(tmp_path / name)]) == 0
    plain = SchedulerEndpoint("127.0.0.1", 0)
    ours, theirs = (replace(plain, certificates=tmp_path / name) for name in ("ours", "theirs"))
    assert failure_at(ours, ours) == failure_at(plain, plain) == ""
    assert f"its certificates are not those in {tmp_path}/theirs" in failure_at(ours, theirs)
    assert "if it uses certificates, name their folder" in failure_at(ours, plain)
    assert "it does not use TLS" in failure_at(plain, ours)
    assert failure_at(plain, replace(plain, port=1)) == "Connection refused"


def test_expired_certificates_are_named(tmp_path: Path) -> None:
    """The sentence must contain the command that makes new ones."""
    make_certificates(tmp_path / "old", days=0)
    old = SchedulerEndpoint("127.0.0.1", 0, tmp_path / "old")
    assert "the certificates have expired" in failure_at(old, old)
