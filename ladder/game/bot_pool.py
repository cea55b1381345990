"""The bot processes that one worker keeps between games.

Starting Python and loading compiled kernels costs far more than a null game, so processes that may
play on are kept, the least recently used going first.
"""

from collections.abc import Callable
from dataclasses import replace

import msgspec

from bots.protocol import Hello, HelloReply
from db.records.launch import Launch
from db.records.restart import Restart
from ladder.process.bot_process import BotProcess
from ladder.process.confinement import UNCONFINED, Confinement
from ladder.specs.start_command import host_environment

HELLO_S = 30.0
"""How long a bot may take from its start to its hello, loading and compiling included."""
QUIT_S = 1.0
"""How long a bot may take to exit when asked to; then it is killed."""
KEPT = 6
"""Idle processes kept by one worker."""


class BotPool:
    """Hands out bot processes that have shaken hands, and takes them back.

    Not shared between threads. `close` ends every process.
    """

    def __init__(self, confinement: Confinement = UNCONFINED, *, keep: int = KEPT) -> None:
        """Nothing is started before it is asked for.

        Args:
            confinement: the bounds of every bot; players of this installation, which are the
                ladder itself, start without its sandbox.
            keep: idle processes kept.

        """
        self._confinement = confinement
        self._trusted = replace(confinement, sandbox=())
        self._keep = keep
        self._idle: list[tuple[Launch, BotProcess]] = []

    def acquire(self, launch: Launch) -> BotProcess:
        """A process for one side of a game, fresh or used before.

        Raises:
            BotFailure: the bot did not start or did not shake hands; nothing of it is left.

        """
        key = _key(launch)
        for place in range(len(self._idle) - 1, -1, -1):
            kept, process = self._idle[place]
            if kept == key:
                del self._idle[place]
                if process.has_stray_output():
                    process.kill()
                    continue
                return process
        process = self._start(launch)
        try:
            shake_hands(process)
        except BaseException:
            process.kill()
            raise
        return process

    def greet(self, launch: Launch) -> HelloReply:
        """Start a process only to hear its hello.

        Raises:
            BotFailure: the bot did not start or did not shake hands.

        """
        process = self._start(launch)
        try:
            return shake_hands(process)
        finally:
            process.kill()

    def release(self, launch: Launch, process: BotProcess, *, pair_ended: bool) -> None:
        """Take back a process whose game ended without a failure."""
        if process.has_stray_output():
            # It spoke after the game had ended: the result stands, the process does not.
            process.kill()
            return
        spent = launch.restart is Restart.GAME or (launch.restart is Restart.PAIR and pair_ended)
        if spent:
            process.quit(QUIT_S)
            return
        self._idle.append((_key(launch), process))
        while len(self._idle) > self._keep:
            self._idle.pop(0)[1].quit(QUIT_S)

    def _start(self, launch: Launch) -> BotProcess:
        environment = {} if launch.player is None else host_environment(launch)
        ours = launch.player is not None and launch.origin is None
        return BotProcess.start(
            launch,
            self._trusted if ours else self._confinement,
            environment=environment,
        )

    def close(self, end: Callable[[BotProcess], None] = BotProcess.kill) -> None:
        """End every idle process, by default at once."""
        while self._idle:
            end(self._idle.pop()[1])


def shake_hands(process: BotProcess) -> HelloReply:
    """Exchange hello.

    Raises:
        BotFailure: no hello came within 30 s, or something else did.

    """
    reply = process.ask(Hello(), timeout_s=HELLO_S).reply
    assert isinstance(reply, HelloReply)  # noqa: S101 - `ask` lets no other answer through
    return reply


def _key(launch: Launch) -> Launch:
    """Launches that can share a process: who is played does not matter to the built-in host.

    Players of a copy share none with the current ones, whose folder and origin are others.
    """
    return msgspec.structs.replace(launch, player=None, restart=Restart.NEVER)
