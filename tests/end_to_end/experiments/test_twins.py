"""Commands killed by SIGKILL and repeated end as undisturbed ones."""

import random
from pathlib import Path

import pytest

from tests.end_to_end.twins import EXPERIMENTS, Twins, differences

WITHOUT_RUN = ("analyze", "suite make", "suite run")
"""Commands that store no run: repeated, they do what is missing, or all."""
ALONE = ("run", "analyze", "suite make")
"""Commands that are quick enough to be killed alone as well as with all of their processes."""
MARKS = {
    **dict.fromkeys(("run", "gate", "tune", "bisect", *WITHOUT_RUN[:2]), pytest.mark.very_slow),
    # Their judges are resumed by the same engine as those above.
    **dict.fromkeys(("select", "suite run"), pytest.mark.exhaustive),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=MARKS[name]) for name in EXPERIMENTS],
)
def test_a_killed_and_repeated_command_ends_as_an_undisturbed_one(
    name: str, tmp_path: Path
) -> None:
    """Verdict, games and runs must be equal, also if it is resumed by the printed command."""
    twins = Twins(EXPERIMENTS[name], tmp_path, random.Random(3))
    quiet = twins.undisturbed()
    for group in (False, True) if name in ALONE else (True,):
        disturbed = twins.disturbed(2, group=group, printed=group)
        assert differences(quiet, disturbed, twins.experiment) == []
    assert twins.kills
    assert twins.printed or name in WITHOUT_RUN
