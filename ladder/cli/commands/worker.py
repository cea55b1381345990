"""`ladder worker`: lends this machine to runs that other machines coordinate."""

from ladder.cli.options import Workers
from ladder.cli.output import print_error
from ladder.cli.parsing import parse_sandbox
from ladder.errors import ExitCode
from ladder.match.process.cpus import allowed_cpus
from ladder.moments import parse_until


def worker(
    *,
    address: str,
    slots: Workers | None = None,
    until: str | None = None,
    sandbox: str | None = None,
    tls_ca_file: str | None = None,
    tls_cert: str | None = None,
    tls_key: str | None = None,
) -> int:
    """Lend this machine to runs of others, by --cluster.

    Each slot is a process that plays one pair at a time, on a CPU of its own. A machine may join or
    leave at any time, and connects again after the scheduler was away. The first Ctrl-C lets it
    finish the pairs in play, the second one ends it at once, as SIGTERM does. Bots are copied to
    this user's cache. --sandbox takes the place of the run's own.

    Arguments:
      ADDRESS: Address of the Dask scheduler: HOST:PORT or tls://HOST:PORT.

    Options:
      --slots N: Pairs of games to play at the same time. [the CPUs that this process may use]
      --until TIME: Lend this machine until then, as 18:00, 2026-11-20T18:00 or 2h: it then finishes
        the pairs in play and leaves.

    Example:
      ladder worker lab1:8786 --slots 8 --until 18:00
    """
    from ladder.runs.cluster.endpoint import parse_endpoint
    from ladder.runs.cluster.serving import serve_worker

    words = parse_sandbox(sandbox)
    leaves_at = None if until is None else parse_until(until)
    endpoint = parse_endpoint(address, tls_ca_file, tls_cert, tls_key, option="address")
    serve_worker(
        endpoint,
        count=slots or allowed_cpus(),
        sandbox=words,
        leaves_at=leaves_at,
        report=print_error,
    )
    return ExitCode.DONE
