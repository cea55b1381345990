"""The time control of exported games."""

import msgspec
import pytest

from ladder.results.exchange.formats import write_pgn
from tests.ladder.results.exchange.test_importing import lines_of_a_pair


@pytest.mark.parametrize(
    ("budget", "control"),
    [
        ({"time_ms": 100}, None),
        ({"time_ms": 100, "overage_ms": 5000}, None),
        ({"clock_ms": 10_000, "increment_ms": 100}, "10+0.1"),
        ({"clock_ms": 90_000}, "90"),
        ({"clock_ms": 500, "clock_ms@FIRST": 900}, "?"),
    ],
)
def test_pgn_has_a_clock_in_its_standard_form(budget: dict[str, int], control: str | None) -> None:
    """Other budgets have no form in the standard."""
    lines = lines_of_a_pair()
    own = {key.replace("FIRST", lines[0].first): amount for key, amount in budget.items()}
    for line in lines:
        line.division = msgspec.structs.replace(line.division, budget=own)
    text = "".join(write_pgn(lines))
    tag = None if control is None else f'[TimeControl "{control}"]\n'
    assert text.count("[TimeControl ") == (0 if tag is None else 2)
    assert tag is None or tag in text
