"""Helpers to start fake bots and to find the processes they leave behind."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from bots.protocol import Budget, Hello, MoveAsk, NewGame
from db.records.launch import Start
from ladder.match.process.bot_process import (
    BotProcess,
    TimedReply,
)

FAKE_BOT = Path(__file__).parent.parent / "fake_bots" / "bot.py"
NEW_GAME = NewGame(game="g", rows=6, columns=7, side=0, seed=1, budget=Budget(time_ms=100))

StartFake = Callable[..., BotProcess]


def fake_start(mode: str, *arguments: str, folder: Path, mark: str = "") -> Start:
    """Return the start of a fake bot whose environment holds a mark for `living`."""
    return Start(
        argv=(sys.executable, "-I", "-S", str(FAKE_BOT), mode, *arguments),
        folder=str(folder),
        environment=(("FAKE_BOT_MARK", mark),) if mark else (),
    )


def living(mark: str) -> list[psutil.Process]:
    """Return the processes, except zombies, whose environment holds the mark."""
    found = []
    for process in psutil.process_iter():
        try:
            if mark in process.environ().values() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def await_none(mark: str, seconds: float) -> list[psutil.Process]:
    """Wait until no marked process lives; return those left after the timeout."""
    deadline = time.monotonic() + seconds
    while (left := living(mark)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return left


def open_game(bot: BotProcess) -> None:
    """Do the handshake and begin a game on 6x7."""
    bot.ask(Hello(), timeout_s=10)
    bot.ask(NEW_GAME, timeout_s=10)


def first_move(bot: BotProcess, timeout_s: float = 10.0) -> TimedReply:
    """Ask for the first move."""
    return bot.ask(MoveAsk(ply=0, moves=()), timeout_s=timeout_s)
