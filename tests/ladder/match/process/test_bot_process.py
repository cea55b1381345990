"""One bot process: every kind of failure becomes the right exception, and nothing stays behind."""

import os
import select
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from msgspec import structs

from bots.protocol import GameOver, MoveAsk, MoveReply
from db.records.launch import Limits, Start
from ladder.errors import (
    BotCrash,
    BotFailure,
    BotMemory,
    BotProtocolError,
    BotTimeout,
    MachineStalled,
)
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.limits import LONGEST_PAUSE_S, LimitMonitor
from tests.support.fakes import (
    NEW_GAME,
    StartFake,
    await_none,
    fake_start,
    first_move,
    living,
    open_game,
)
from tests.support.unconfined import UNCONFINED
from tests.support.waiting import eventually


def test_an_honest_bot_plays(start_fake: StartFake) -> None:
    """Questions get their answers, the time is measured, and quitting is graceful."""
    bot = start_fake("honest")
    assert bot.hello(10).name == "fake"
    for _ in range(2):
        bot.new_game(NEW_GAME, 10)
        for ply in range(7):
            reply, own_us, *_ = bot.ask_move(MoveAsk(ply=ply, moves=(0,) * ply), 10)
            assert isinstance(reply, MoveReply)
            assert reply.column == (1 if ply >= 6 else 0)
            assert 0 < own_us < 10_000_000
        bot.send(GameOver(result="win", termination="four_in_a_row"))
    assert bot.quit(10)
    assert not bot.alive


@pytest.mark.slow
def test_a_byte_order_mark_before_an_answer_is_skipped(tmp_path: Path) -> None:
    """A program whose runtime marks its output as UTF-8 plays as any other."""
    honest = fake_start("honest", folder=tmp_path)
    marking = ("sh", "-c", r"""printf '\357\273\277'; exec "$@" """, "sh", *honest.argv)
    with BotProcess.start(structs.replace(honest, argv=marking), UNCONFINED) as bot:
        open_game(bot)
        assert isinstance(first_move(bot).reply, MoveReply)


@pytest.mark.slow
def test_a_move_is_timed_from_its_question_on(start_fake: StartFake) -> None:
    """The clock starts before the write, even if the bot shares its CPU with the harness."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    times = []
    try:
        bot = start_fake("works", "2")
        open_game(bot)
        for _ in range(25):
            rested = (
                time.monotonic() + 0.01
            )  # the scheduler then prefers the rested bot to the harness
            while time.monotonic() < rested:
                pass
            times.append(bot.ask_move(MoveAsk(ply=0, moves=()), 10).own_us)
    finally:
        os.sched_setaffinity(0, allowed)
    assert min(times) >= 2000


FAILURES: list[tuple[str, str, type[BotFailure], str]] = [
    ("hangs-in-hello", "", BotTimeout, r"hello within 400 ms; its own time is .* flush its output"),
    ("late-in-ready", "99", BotTimeout, r"to new_game within 400 ms; .* flush its output"),
    ("hangs-in-move", "", BotTimeout, r"no answer to move \(ply 0\) within 400 ms"),
    ("thinks", "99", BotTimeout, r"no answer to move \(ply 0\)"),
    ("floods-errors", "", BotTimeout, r"no answer to .* lines of its stderr:\n.*0123456789"),
    ("writes", '{"type":"move",', BotTimeout, r"half a line came: '\{\"type\":\"move\",'"),
    ("segfaults", "", BotCrash, r"killed by SIGSEGV when asked for move .*:\nabout to crash"),
    ("exits", "", BotCrash, r"exited with status 3 when asked for move \(ply 0\)"),
    ("exits-at-once", "", BotCrash, r"status 1 when asked for hello.*:\ncannot find my weights"),
    ("closes", "1", BotCrash, r"closed its standard output when asked for move"),
    ("closes", "0", BotCrash, r"closed its standard input when asked for move"),
    (
        "writes", r'{"type":"error","message":"no idea"}\n',
        BotCrash, r"gave up at move \(ply 0\): no idea",
    ),
    ("orphans-keep-output", "", BotCrash, r"exited with status 4"),
    ("garbage", "", BotProtocolError, r"not an answer of the protocol: .*I think the middle"),
    ("writes", r'{"type":"move","column":\xff}\n', BotProtocolError, r"not an answer"),
    ("floods-output", "", BotProtocolError, r"a line over 64 KiB"),
    (
        "writes", r'ply 0\n{"type":"move","column":0}\n',
        BotProtocolError, r"move \(ply 0\) with more than one line: 'ply 0.* standard error",
    ),
    ("answers", "1.5", BotProtocolError, r"Expected `int`, got `float`"),
    (
        "writes", r'{"type":"move","column":0,"ply":2}\n',
        BotProtocolError, r"move \(ply 0\) with the answer to ply 2",
    ),
    ("writes", r'{"type":"ready"}\n', BotProtocolError, r"with a message of type 'ready'"),
    ("moves-at-once", "", BotProtocolError, r"answered new_game with a message of type 'move'"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "argument", "kind", "text"), FAILURES)
def test_each_misbehaviour_has_its_failure(
    start_fake: StartFake, mark: str, mode: str, argument: str, kind: type[BotFailure], text: str
) -> None:
    """A misbehaving bot raises its exception with a message, and is gone by then."""
    bot = start_fake(mode, argument)
    late_s = 0.4 if kind is BotTimeout else 10  # the others fail at once, on a busy machine later
    with pytest.raises(kind, match=text):  # noqa: PT012 - which of the three fails is the mode's
        bot.hello(late_s if mode == "hangs-in-hello" else 10)
        bot.new_game(NEW_GAME, late_s if mode == "late-in-ready" else 10)
        first_move(bot, late_s)
    assert await_none(mark, 0) == []
    assert not bot.alive
    with pytest.raises(RuntimeError):
        first_move(bot)


def test_a_bot_that_does_not_read_does_not_block(start_fake: StartFake) -> None:
    """A question larger than the pipe cannot block the harness."""
    bot = start_fake("stops-reading")
    open_game(bot)
    with pytest.raises(BotTimeout, match="did not read its standard input for 200 ms"):
        bot.ask_move(MoveAsk(ply=0, moves=(1,) * 100_000), 0.2)
    bot = start_fake("honest")  # which reads it
    open_game(bot)
    bot.ask_move(MoveAsk(ply=0, moves=(9,) * 100_000), 10)


def test_send_never_blocks(start_fake: StartFake) -> None:
    """A bot that stopped reading cannot block game_over, even if its pipe is full."""
    bot = start_fake("stops-reading")
    open_game(bot)

    def send() -> None:
        for _ in range(3000):
            bot.send(GameOver(result="win", termination="four_in_a_row"))

    sending = threading.Thread(target=send, daemon=True)
    sending.start()
    sending.join(30)
    assert not sending.is_alive()
    with pytest.raises(BotTimeout, match="did not read its standard input"):  # so it was full
        first_move(bot, 0.1)


def test_unasked_output_is_a_protocol_error(start_fake: StartFake) -> None:
    """Output before a question is a protocol error of that question."""
    bot = start_fake("talks-after-game-over")
    open_game(bot)
    first_move(bot)
    bot.send(GameOver(result="win", termination="four_in_a_row"))
    eventually(bot.is_unusable, 0.001)
    with pytest.raises(BotProtocolError, match=r"nothing was asked"):
        bot.new_game(NEW_GAME, 10)


@pytest.mark.parametrize("mode", ["leaves-orphans", "hops", "many-processes"])
def test_no_descendant_survives_its_bot(start_fake: StartFake, mark: str, mode: str) -> None:
    """Processes in other sessions, double forks, fork chains and many children are killed."""
    # Without a limit of processes, which would end the bot before it is looked at.
    bot = start_fake(mode, limits=Limits(processes=None))
    open_game(bot)
    if mode == "many-processes":
        bot.send(MoveAsk(ply=0, moves=()))
    else:
        first_move(bot)
    eventually(lambda: len(living(mark)) >= 2)
    bot.kill()
    assert await_none(mark, 0) == []


def test_quit_ends_orphans_and_kills_a_hanging_bot(start_fake: StartFake, mark: str) -> None:
    """A bot that hangs instead of quitting is killed at the timeout."""
    bot = start_fake("leaves-orphans")
    open_game(bot)
    assert bot.quit(10)
    assert await_none(mark, 0) == []
    bot = start_fake("stops-reading")
    open_game(bot)
    started = time.monotonic()
    assert not bot.quit(0.2)
    assert time.monotonic() - started >= 0.2
    assert await_none(mark, 0) == []
    bot.kill()
    assert not bot.quit(1)


@pytest.mark.slow
def test_a_bot_of_a_stopped_supervisor_is_killed(start_fake: StartFake, mark: str) -> None:
    """If the supervisor does not react, the harness finds and kills the bot's processes."""
    bot = start_fake("leaves-orphans")
    open_game(bot)
    os.kill(bot.supervisor.popen.pid, signal.SIGSTOP)
    bot.kill()
    assert await_none(mark, 0) == []
    assert not bot.supervisor.scratch.exists()


@pytest.mark.parametrize(
    ("mode", "limits", "kind", "text"),
    [
        (
            "eats-memory", Limits(memory_mb=100),
            BotMemory, r"over its memory limit: \d+ MiB resident in 1 process, 100 MiB",
        ),
        (
            "eats-memory-in-children", Limits(memory_mb=100),
            BotMemory, r"over its memory limit: .* in \d process",
        ),
        ("eats-memory", Limits(address_mb=200), BotCrash, r"(?s)status 1 .*MemoryError"),
        ("many-processes", Limits(processes=20), BotCrash, r"over its limit of 20 processes"),
        ("opens-files", Limits(open_files=64), BotCrash, r"(?s)status 1 .* Too many open files"),
        ("one-large-file", Limits(file_mb=4), BotCrash, r"SIGXFSZ|File too large"),
    ],
)  # fmt: skip
def test_each_limit_is_enforced(
    start_fake: StartFake, mode: str, limits: Limits, kind: type[BotFailure], text: str
) -> None:
    """Each limit ends the bot or fails its call, and the message names the limit."""
    bot = start_fake(mode, limits=limits)
    open_game(bot)
    with pytest.raises(kind, match=text):
        first_move(bot)


@pytest.mark.slow
def test_memory_that_processes_share_counts_once(start_fake: StartFake) -> None:
    """Until they change it, and each has a copy. It is measured as often as other memory."""
    bot = start_fake("shares-memory", limits=Limits(memory_mb=150))
    open_game(bot)
    first_move(bot)
    monitor = LimitMonitor({"memory_mb": "150"}, bot.supervisor.popen.pid)
    assert (monitor.find_excess(), monitor.pause_s) == ("", LONGEST_PAUSE_S)
    with pytest.raises(BotMemory, match=r"\d+ MiB resident in 4 processes, 150 MiB allowed"):
        bot.ask_move(MoveAsk(ply=1, moves=(0,)), 30)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("memory_mb", "kind", "text"),
    [
        (100, BotMemory, r"when asked for move \(ply 0\): .* MiB resident in 1 process, 100 MiB"),
        (500, BotTimeout, r"no answer to move \(ply 0\) within 400 ms"),
    ],
)
def test_limits_are_judged_before_lateness(
    start_fake: StartFake, memory_mb: int, kind: type[BotFailure], text: str
) -> None:
    """A supervisor that a busy machine does not let run cannot have measured them."""
    bot = start_fake("leaks", "0,120,99", limits=Limits(memory_mb=memory_mb))
    open_game(bot)
    bot.supervisor.popen.send_signal(signal.SIGSTOP)
    with pytest.raises(kind, match=text):
        first_move(bot, 0.4)


@pytest.mark.parametrize(
    ("command", "folder", "text"),
    [
        (("./nothing",), ".", r"cannot start \./nothing: there is no such file in the bot's f"),
        (("no-such-program",), ".", r"there is no such program on PATH: install it, or write"),
        (("./script",), ".", r"start \./script: there is no /opt/none/python, which its first l"),
        (("./windows",), ".", r"its first line ends as in Windows: save it with the line ends o"),
        (("./plain",), ".", r"it is not executable \(chmod \+x makes it so\)"),
        (("./junk",), ".", r"neither a program of this machine nor a script that begins with"),
        ((sys.executable,), "missing", r"cannot enter its folder .*missing \(No such file"),
    ],
)
def test_a_bot_that_cannot_be_started_is_explained(
    tmp_path: Path, command: tuple[str, ...], folder: str, text: str
) -> None:
    """The message names what is missing: the file, its interpreter or the rights."""
    (tmp_path / "plain").write_text("no program")
    for name, content in (
        ("junk", b"\x00\x01\x02"),
        ("script", b"#! /opt/none/python -u\n"),
        ("windows", b"#!/bin/sh\r\n"),
    ):
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o755)
    bot = BotProcess.start(Start(argv=command, folder=str(tmp_path / folder)), UNCONFINED)
    with pytest.raises(BotCrash, match=text):
        bot.hello(10)
    assert not bot.supervisor.scratch.exists()


@pytest.mark.parametrize(("start", "is_fine"), [("\\xef\\xbb\\xbf", True), ("Ready!\\n", False)])
def test_what_a_bot_writes_before_hello_meets_its_answer(
    start_fake: StartFake, start: str, is_fine: bool
) -> None:
    """However late the harness asks: a byte order mark is read over, a banner is no answer."""
    bot = start_fake("begins-with", start)
    assert select.select([bot.supervisor.stdout], [], [], 10)[0]
    if is_fine:
        assert bot.hello(10).name == "fake"
    else:
        with pytest.raises(BotProtocolError, match=r"answer(ed|) (to |)hello"):
            bot.hello(10)


def test_a_failed_preparation_is_the_fault_of_the_machine(start_fake: StartFake) -> None:
    """The bot's program has not been reached."""
    bot = start_fake("honest", limits=Limits(open_files=3))
    with pytest.raises(MachineStalled, match=r"its supervisor failed: .* Too many open files"):
        bot.hello(10)


def test_a_bot_ended_by_another_thread_has_crashed(start_fake: StartFake) -> None:
    """Its supervisor has ended with it, but was not killed."""
    bot = start_fake("hangs-in-move")
    open_game(bot)
    bot.supervisor.request_end()
    with pytest.raises(BotCrash, match=r"closed its standard \w+ when asked for move"):
        first_move(bot)


def test_a_kill_before_the_bot_has_started_leaves_nothing(start_fake: StartFake, mark: str) -> None:
    """A process killed in the middle of its start leaves nothing."""
    for pause in (0, 0.005, 0.01, 0.015, 0.02):
        bot = start_fake("honest")
        time.sleep(pause)
        bot.kill()
    assert await_none(mark, 0) == []


@pytest.mark.slow
def test_many_starts_leak_no_descriptor(start_fake: StartFake) -> None:
    before = sorted(os.listdir("/proc/self/fd"))
    for _ in range(10):
        start_fake("honest").quit(10)
    with pytest.raises(BotCrash, match="its command is too long"):
        start_fake("honest", "x" * 200_000)
    assert sorted(os.listdir("/proc/self/fd")) == before
