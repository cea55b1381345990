"""Submission of an experiment by `ladder queue add`, which checks it as if it started now."""

import asyncio
import os
import sys
from typing import Any

import msgspec

from ladder.web.errors import Busy, Refused
from ladder.web.queue.form import Submission

LONGEST_S = 60.0
"""Time limit of a submission, which takes a second or two."""
AT_A_TIME = 2
WAITING = 20
"""Largest number of submissions that wait."""


class Submitter:
    """Submits experiments of visitors, a few at a time."""

    def __init__(self, database: str) -> None:
        self._database = database
        self._turn = asyncio.Semaphore(AT_A_TIME)
        self._waiting = 0

    async def submit(self, submission: Submission, author: str) -> dict[str, Any]:
        """Put an experiment into the queue and return the document of `ladder queue add --json`.

        Raises:
            Refused: the experiment cannot start.
            Busy: too many submissions wait, or this one takes too long.

        """
        if self._waiting >= WAITING:
            raise Busy
        self._waiting += 1
        try:
            async with self._turn, asyncio.timeout(LONGEST_S):
                return await self._add(submission, author)
        except TimeoutError:
            raise Busy(
                f"the experiment was not checked within {LONGEST_S:.0f} s, as other programs use "
                "the processors: look into the queue before you submit it again"
            ) from None
        finally:
            self._waiting -= 1

    async def _add(self, submission: Submission, author: str) -> dict[str, Any]:
        options = {
            "as": author,
            "priority": str(submission.priority),
            "note": submission.note,
        }
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", "from ladder.cli.main import main; main()"),
            *("queue", "add", "--json"),
            *(f"--{name}={value}" for name, value in options.items()),
            *("--", *submission.words),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            # Not a word, which other users could read: it may contain a password.
            env={**os.environ, "LADDER_DB": self._database},
            start_new_session=True,
        )
        try:
            output, errors = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode != 0:
            lines = errors.decode(errors="replace").split("\n")
            said = [line.removeprefix("ladder: ").strip() for line in lines if line.strip()]
            raise Refused(said[-1] if said else "the experiment was refused without a reason")
        found: dict[str, Any] = msgspec.json.decode(output)
        return found
