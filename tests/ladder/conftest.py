"""Fixtures that start fake bots and see to it that nothing of them is left."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from db.records.launch import (
    DEFAULT_LIMITS,
    Limits,
)
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.process_tree import BotHistory
from ladder.match.process.sandbox import Confinement
from tests.support.fakes import (
    StartFake,
    await_none,
    fake_start,
)


@pytest.fixture
def mark() -> str:
    """Return a value in the environment of everything that a test's bots start."""
    return uuid.uuid4().hex


@pytest.fixture
def start_fake(tmp_path: Path, mark: str) -> Iterator[StartFake]:
    """Start fake bots; afterwards they are killed, and it must be that nothing is left."""
    started: list[BotProcess] = []

    def start(
        mode: str,
        *arguments: str,
        limits: Limits = DEFAULT_LIMITS,
        sandbox: tuple[str, ...] = (),
        history: BotHistory | None = None,
    ) -> BotProcess:
        confinement = Confinement(limits=limits, sandbox=sandbox, logs=tmp_path / "logs")
        bot = BotProcess.start(
            fake_start(mode, *arguments, folder=tmp_path, mark=mark), confinement, history
        )
        started.append(bot)
        return bot

    descriptors = len(os.listdir("/proc/self/fd"))
    yield start
    for bot in started:
        bot.kill()
    assert await_none(mark, 30.0) == []
    assert [bot.supervisor.scratch for bot in started if bot.supervisor.scratch.exists()] == []
    assert len(os.listdir("/proc/self/fd")) <= descriptors
