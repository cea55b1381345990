"""The rules that every stored row keeps, as pure functions."""

from db.invariants import find_pair_fault

PAIR = {
    "status": "finished",
    "number": 3,
    "aborts": 0,
    "seed": 7,
    "stream": "s",
    "run_stream": "s",
    "division_id": 1,
    "run_division_id": 1,
    "rated": True,
    "run_rated": True,
}


def test_the_first_fault_of_a_pair_is_named() -> None:
    """A pair that keeps all rules has none; each broken rule is a sentence."""
    assert find_pair_fault(PAIR) is None
    assert "unknown status 'lost'" in str(find_pair_fault({**PAIR, "status": "lost"}))
    assert "its number must be below" in str(find_pair_fault({**PAIR, "number": -1}))
    assert "its stream is not that of its run" in str(find_pair_fault({**PAIR, "stream": "t"}))


def test_a_value_that_cannot_be_read_is_a_fault() -> None:
    """A value of another type, or not in its notation, is named and raises nothing."""
    assert "not supported between" in str(find_pair_fault({**PAIR, "aborts": "many"}))
