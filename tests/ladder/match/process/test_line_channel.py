"""The pipes to one bot, with the test at their other ends."""

import os
import time

from bots.protocol import Quit
from ladder.match.process.line_channel import LineChannel


def test_an_answer_that_comes_while_the_harness_looks_is_found_late_by_the_harness() -> None:
    """The time that a look takes must count as the harness's, for the answer may lie there."""
    to_bot, from_bot, alive = os.pipe(), os.pipe(), os.pipe()

    def look(*_: object) -> bool:
        os.write(from_bot[1], b"{}\n")
        time.sleep(0.03)
        return True

    channel = LineChannel(to_bot[1], from_bot[0], alive[0], look)
    data, elapsed_us = channel.exchange(Quit(), 1.0, is_watched=True)
    assert data == b"{}\n"
    assert 30_000 <= channel.overslept_ns / 1000 <= elapsed_us
    for end in (*to_bot, *from_bot, *alive):
        os.close(end)
