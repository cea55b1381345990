"""No stored command is started: a launch is made from the specification, on this machine."""

from pathlib import Path

import msgspec
import pytest

from bots.errors import BotsError
from bots.protocol import Budget
from db.records.bots import BotRow, RevisionRow
from db.records.launch import Launch, Origin
from ladder.errors import LadderError
from ladder.match.registry.registered import make_entrants
from ladder.match.specs.spec import read_spec

EVIL = "touch-pwned"
OTHERS: dict[str, object] = {
    "command": ("sh", "-c", EVIL),
    "folder": f"/{EVIL}",
    "player": EVIL,
    "host": "thu",
    "python": f"/{EVIL}",
    "origin": Origin(EVIL, EVIL, EVIL, EVIL, EVIL, f"/{EVIL}", EVIL),
}
"""Foreign values for each field of a launch that decides what is started."""
HARMLESS = {"restart", "address_mb", "min_time_ms", "is_python_chosen"}
"""Fields that name nothing to start."""


def registered(place: Path, **changes: object) -> BotRow:
    """Return a registered bot whose stored launch was changed since."""
    (place / "bot.py").write_text("print()")
    spec = "exec:./bot.py"
    made = read_spec(spec, place)
    launch = msgspec.structs.replace(made.launch, **changes)
    revision = RevisionRow(1, 1, 1, made.content_hash, launch, ("any",), None, made.files, 0.0)
    return BotRow(1, "guest", "foreign", spec, None, "", 0.0, None, revision)


def test_an_unchanged_launch_is_started(tmp_path: Path) -> None:
    """It starts the program of the specification."""
    sides = make_entrants([registered(tmp_path)], lambda _: Budget(time_ms=10))
    assert sides["guest"].start.argv == ("./bot.py",)
    assert sides["guest"].start.folder == str(tmp_path.resolve())


@pytest.mark.parametrize("field", sorted({*Launch.__struct_fields__} - HARMLESS))
def test_a_launch_that_was_changed_in_the_database_is_not_started(
    tmp_path: Path, field: str
) -> None:
    """Every stored field that could reach a process must be refused when it is another one."""
    bot = registered(tmp_path, **{field: OTHERS[field]})
    with pytest.raises((LadderError, BotsError)):
        make_entrants([bot], lambda _: Budget(time_ms=10))
