"""What `ladder replay` tells of a move."""

from db.records import Thought
from reports.games import thought_text


def test_a_move_tells_its_wall_and_cpu_time() -> None:
    """Both times, and of older games the one that was measured."""
    thought = Thought(20_300, 0.25, 1500, 9, "win 5", 19_100)
    expected = (
        "20.3 ms, 19.1 ms of CPU, value +0.25, 1,500 simulations or nodes, depth 9, proven win 5"
    )
    assert thought_text(thought) == expected
    assert thought_text(Thought(1500)) == "1.5 ms"
