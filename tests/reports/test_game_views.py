"""The statistics of a move in `ladder replay`."""

from db.records.games import Thought
from reports.replay import thought_facts


def test_a_move_has_its_wall_and_cpu_time() -> None:
    """A move shows both times, and only the wall time if no CPU time is stored."""
    facts = dict(thought_facts(Thought(20_300, cpu_us=19_100)))
    assert facts == {"time": "20.3 ms", "cpu": "19.1 ms"}
    assert dict(thought_facts(Thought(1500))) == {"time": "1.5 ms"}
