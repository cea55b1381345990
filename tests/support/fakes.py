"""Helpers to start fake bots and to find the processes they leave behind."""

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from bots.protocol import Budget, MoveAsk, NewGame
from db.records.launch import Start
from db.records.pairs import Entrant, PairPlan, PlannedPair
from ladder.match.process.bot_process import (
    BotProcess,
    MoveAnswer,
)

FAKE_BOT = Path(__file__).parent.parent / "fake_bots" / "bot.py"
MODES = {
    re.sub("(?<!^)([A-Z])", r"-\1", name).lower(): file
    for file in (FAKE_BOT, FAKE_BOT.with_name("greedy.py"))
    for name in re.findall(r"^class (\w+)", file.read_text(), re.MULTILINE)
}
"""The modes of fake bots and their files; another one would only crash at its start."""
NEW_GAME = NewGame(game="g", rows=6, columns=7, side=0, seed=1, budget=Budget(time_ms=100))

PLENTY = Budget(time_ms=60_000)
"""Time for a move that a bot needs on no machine."""

StartFake = Callable[..., BotProcess]


def fake_start(mode: str, *arguments: str, folder: Path, mark: str = "") -> Start:
    """Return the start of a fake bot whose environment holds a mark for `living`."""
    return Start(
        argv=(sys.executable, "-I", "-S", str(MODES[mode]), mode, *arguments),
        folder=str(folder),
        environment=(("FAKE_BOT_MARK", mark),) if mark else (),
    )


def pair_plan(
    a: Start | Entrant,
    b: Start | Entrant,
    budget: Budget = PLENTY,
    board: str = "6x7",
    *,
    opening: tuple[int, ...] = (),
    number: int = 0,
    **more: Any,
) -> PairPlan:
    """Return a pair of two bots, whose names are a and b."""
    sides = [
        each if isinstance(each, Entrant) else Entrant(number, "ab"[number - 1], each, budget)
        for number, each in enumerate((a, b), 1)
    ]
    a, b = sides
    pair = PlannedPair(a.revision, b.revision, board, board, opening, seed=7, number=number, id=1)
    return PairPlan(pair, a, b, **more)


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
    bot.hello(10)
    bot.new_game(NEW_GAME, 10)


def first_move(bot: BotProcess, timeout_s: float = 10.0) -> MoveAnswer:
    """Ask for the first move."""
    return bot.ask_move(MoveAsk(ply=0, moves=()), timeout_s)
