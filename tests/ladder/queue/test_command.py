"""Commands of a service in forks of one process, which has loaded the program."""

import contextlib
import select
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from db.records.queue import NewEntry
from db.store import Store
from ladder.errors import ExitCode
from ladder.match.registry.builtins import sync_builtins
from ladder.queue.command import PlayedCommand
from ladder.queue.command_server import MODULE, CommandServer
from ladder.queue.link import StartMessage

MATCH = "match random stupid --boards 4x4 --simulations 1 --games 2"
Start = Callable[[str], PlayedCommand]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts a command line; kill what is left of them."""
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(Store.open(str(tmp_path / "ladder.db")))
        sync_builtins(store)
        server = CommandServer(())
        stack.callback(server.close)

        def start_command(line: str) -> PlayedCommand:
            command, *arguments = line.split()
            entry = store.queue.add(
                NewEntry(
                    command=command,
                    arguments=tuple(arguments),
                    folder=str(tmp_path),
                    author="ann",
                    host="h",
                )
            )
            message = StartMessage(
                words=entry.words,
                db=str(tmp_path / "ladder.db"),
                folder=entry.folder,
                address=None,
                certificates=None,
                insecure=False,
                run=None,
                placements={},
            )
            played = PlayedCommand(entry, message, server)
            stack.callback(played.close)
            return played

        yield start_command


def wait(command: PlayedCommand, condition: Callable[[], bool]) -> None:
    """Read messages of a command until a condition holds."""
    while not condition():
        select.select([command.descriptor], [], [])
        command.receive()


@pytest.mark.slow
def test_commands_end_with_their_codes_and_outputs(start: Start) -> None:
    """Each has its own exit code, output and failure, and one without slots can be interrupted."""
    listed, failed, waiting = start("bots list"), start("show 9"), start(MATCH)
    for command in (listed, failed):
        wait(command, lambda each=command: each.poll() is not None)
    wait(waiting, lambda: waiting.run_id is not None)
    assert waiting.poll() is None
    waiting.interrupt()
    wait(waiting, lambda: waiting.poll() is not None)
    results = [command.poll() for command in (listed, failed, waiting)]
    assert [each.code for each in results if each] == [0, ExitCode.USAGE, ExitCode.STOPPED]
    assert results[0] is not None
    assert "random" in results[0].output
    assert results[1] is not None
    assert "show" in results[1].message


@pytest.mark.slow
def test_a_command_can_be_interrupted_before_it_has_started(start: Start) -> None:
    """A signal that its process gets at its first moment is not forgotten, and ends it cleanly."""
    command = start(MATCH)  # without slots, so it would not end by itself
    command.interrupt()
    wait(command, lambda: command.poll() is not None)
    result = command.poll()
    assert result is not None
    assert result.code == ExitCode.STOPPED


@pytest.mark.slow
def test_a_command_dies_with_the_process_that_started_it(start: Start) -> None:
    """A command counts as killed when the process from which it was forked is killed."""
    command = start(MATCH)
    wait(command, lambda: command.run_id is not None)
    # A child that has ended, and is not waited for, has no command line.
    living = [
        child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE
    ]
    (server,) = (child for child in living if MODULE in child.cmdline())
    (process,) = server.children()
    server.kill()
    wait(command, lambda: command.poll() is not None)
    result = command.poll()
    assert result is not None
    assert result.code == -signal.SIGKILL
    process.wait(60)
