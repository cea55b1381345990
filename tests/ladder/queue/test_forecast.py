"""When waiting experiments will start and end."""

import math

from ladder.queue.forecast import Forecast, forecast
from tests.ladder.queue.test_shares import entry


def test_waiting_experiments_start_when_those_before_them_end() -> None:
    """Two slots play 100 s of work in 50 s, and experiments side by side share them by author."""
    ann, second, bob = entry(1, "ann"), entry(2, "ann"), entry(3, "bob")
    found = forecast([ann], [second, bob], {1: 100.0, 2: 20.0, 3: 10.0}, jobs=1, slots=2.0)
    assert found == {
        1: Forecast(0.0, 50.0),
        2: Forecast(50.0, 60.0),
        3: Forecast(60.0, 65.0),
    }
    side_by_side = forecast([ann], [second, bob], {1: 100.0, 2: 20.0, 3: 10.0}, jobs=2, slots=2.0)
    assert side_by_side[3] == Forecast(0.0, 10.0)
    assert side_by_side[2] == Forecast(10.0, 30.0)
    assert side_by_side[1] == Forecast(0.0, 65.0)


def test_what_shares_with_unknown_work_still_ends() -> None:
    """An experiment without a known end keeps its share; what must wait for it is unknown."""
    entries = [entry(1, "ann"), entry(2, "bob"), entry(3, "bob")]
    work = {1: math.inf, 2: 10.0, 3: 10.0}
    assert forecast(entries[:1], entries[1:], work, jobs=2, slots=2.0) == {
        1: Forecast(0.0, math.inf),
        2: Forecast(0.0, 10.0),
        3: Forecast(10.0, 20.0),
    }
    assert forecast(entries[:1], entries[1:], work, jobs=1, slots=2.0).keys() == {1}
