"""A signal that many tasks can wait for."""

import asyncio


class ChangeSignal:
    """Wakes all tasks that wait for a change; used in one loop, but `count` is thread-safe."""

    def __init__(self) -> None:
        self.count = 0
        self._next = asyncio.Event()

    def notify(self) -> None:
        """Wake all waiting tasks."""
        self.count += 1
        done, self._next = self._next, asyncio.Event()
        done.set()

    async def wait(self, since: int, timeout_s: float) -> bool:
        """Wait until the count differs from `since`; return False on a timeout."""
        if self.count != since:
            return True
        try:
            async with asyncio.timeout(timeout_s):
                await self._next.wait()
        except TimeoutError:
            return False
        return True
