"""What `ladder replay` tells of a move."""

from db.records.games import Thought
from reports.replay import thought_facts


def test_a_move_tells_its_wall_and_cpu_time() -> None:
    """Both times, and of older games the one that was measured."""
    told = dict(thought_facts(Thought(20_300, cpu_us=19_100)))
    assert told == {"time": "20.3 ms", "cpu": "19.1 ms"}
    assert dict(thought_facts(Thought(1500))) == {"time": "1.5 ms"}
