"""The exit codes of experiments."""

import pytest

from db.records.night import NightVerdict
from ladder.errors import ExitCode
from ladder.experiments.bisect.search import Answer
from ladder.experiments.engine import exit_code_of
from ladder.experiments.gate.result import Verdict
from ladder.experiments.select.session import SelectionEnd


@pytest.mark.parametrize(
    ("ends", "codes"),
    [
        (Verdict, {"PASS": 0, "REGRESSION": 3, "NO_GAIN": 3, "INCONCLUSIVE": 4, "INVALID": 5}),
        (SelectionEnd, {"CHOSEN": 0, "UNDECIDED": 4, "INVALID": 5, "STOPPED": 130}),
        (NightVerdict, {"DROP": 3, "UNDECIDED": 4, "NO_DROP": 0}),
        (Answer, {"FOUND": 0, "AMBIGUOUS": 4, "NONE": 4, "UNDECIDED": 4}),
    ],
)
def test_every_end_has_its_exit_code(
    ends: type[Verdict] | type[SelectionEnd] | type[Answer] | type[NightVerdict],
    codes: dict[str, int],
) -> None:
    """Scripts rely on them; a renamed member must not change its exit code."""
    assert {each.name: exit_code_of(each) for each in ends} == {
        name: ExitCode(code) for name, code in codes.items()
    }
