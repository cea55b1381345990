"""A count of things that have happened, on which many wait."""

import asyncio


class ChangeSignal:
    """Wakes whoever waits for the next thing. Used in one loop; `count` may be read anywhere."""

    def __init__(self) -> None:
        self.count = 0
        self._next = asyncio.Event()

    def ring(self) -> None:
        """Something has happened."""
        self.count += 1
        done, self._next = self._next, asyncio.Event()
        done.set()

    async def wait(self, since: int, timeout_s: float) -> bool:
        """Wait for a count other than `since`; False: nothing has happened in time."""
        if self.count != since:
            return True
        try:
            async with asyncio.timeout(timeout_s):
                await self._next.wait()
        except TimeoutError:
            return False
        return True
