"""The budget of a move in nodes."""

import time

import pytest

from bots.node_budget import FIRST_CHUNK, LEAST_CHUNK, NodeBudget
from bots.protocol import Budget


def test_nodes_are_granted_to_the_last_one() -> None:
    """Visited nodes are subtracted from the whole budget and from a part of it."""
    budget = NodeBudget(Budget(nodes=1000), share=0.5, started=0)
    assert (budget.grant(), budget.grant(0.5)) == (1000, 500)
    budget.record(600)
    assert (budget.grant(), budget.grant(0.5)) == (400, 0)
    assert budget.is_past(0.5)
    assert not budget.is_past(1.0)
    budget.record(400)
    assert budget.grant() == 0


def test_a_depth_grants_any_number() -> None:
    """Nothing ends a search to a depth."""
    budget = NodeBudget(Budget(depth=3), share=0.5, started=0)
    budget.record(10**12)
    assert budget.grant(0.1) > 10**12


def test_a_late_search_gets_a_few_nodes() -> None:
    """If the time is over before the search begins, it still gets one chunk."""
    budget = NodeBudget(Budget(time_ms=5), share=0.9, started=time.perf_counter() - 1)
    assert budget.grant() == FIRST_CHUNK
    budget.record(FIRST_CHUNK - 1)
    assert budget.grant() == 1
    budget.record(1)
    assert budget.grant() == 0
    assert budget.is_past(1.0)


def test_grants_of_time_follow_the_speed() -> None:
    """A grant takes about a millisecond at the speed of the last one, less near the end."""
    now = [100.0]
    budget = NodeBudget(Budget(time_ms=100), share=0.9, started=100.0, now=lambda: now[0])
    for _ in range(20):
        nodes = budget.grant()
        now[0] += nodes / 5_000_000
        budget.record(nodes)
    assert budget.grant() == pytest.approx(5000, rel=0.01)
    now[0] = 100.0 + 0.0898
    assert LEAST_CHUNK <= budget.grant() == pytest.approx(1000, rel=0.02)
    assert budget.grant(0.5) == 0
    now[0] = 100.1
    assert budget.grant() == 0


def test_a_budget_of_simulations_is_refused() -> None:
    with pytest.raises(ValueError, match="simulations"):
        NodeBudget(Budget(simulations=1), share=1, started=0)
