"""A bot that this user has not registered is named once before it is started, and never again."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.end_to_end.conftest import FAKE_BOTS, Done, Ladder

SPEC = "exec:python3 -I -S bot.py honest"
WARNING = "you have not registered guest on this machine"
SHORT = ("--boards", "4x4", "--opening-plies", "0", "--time", "1s", "--concurrency", "1")
STARTS = {
    "run": ("run", "--new", "--bots", "guest,random", *SHORT, "--games", "2"),
    "gate": ("gate", "guest", "--against", "random", *SHORT, "--max-games", "4"),
    "bots check": ("bots", "check", "guest"),
    "compete": ("compete", "guest", "builtin:random", "/dev/null", "1"),
    "play": ("play", "guest"),
    "hints": ("play", "random", "--hints", "guest"),
}
"""Every command that starts a registered bot; `match` warns where `run` does."""
SHOWN = {"run", "play"}
"""Those of `make test`: a schedule of games, and one game."""
PLAYED = {0, 1, 3, 4}
"""Exit codes of commands that have played: none of them is a refusal."""


@pytest.fixture(scope="module")
def owned(tmp_path_factory: pytest.TempPathFactory) -> Ladder:
    """Make a database in which this user has registered a bot."""
    ladder = Ladder(tmp_path_factory.mktemp("owned"))
    shutil.copy(FAKE_BOTS / "bot.py", ladder.folder)
    done = ladder("bots", "add", "guest", SPEC)
    assert (done.code, WARNING in done.err) == (0, False), done.err
    return ladder


@pytest.fixture
def stranger(owned: Ladder, tmp_path: Path) -> Ladder:
    """Use the same database as another user."""
    other = Ladder(owned.folder)
    other.environment["LADDER_STATE"] = str(tmp_path / "state")
    return other


def started(ladder: Ladder, command: str) -> Done:
    words = tuple(word for word in STARTS[command] if command == "run" or word != "--new")
    return ladder.run_with_input("quit\n", *words) if words[0] == "play" else ladder(*words)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [each if each in SHOWN else pytest.param(each, marks=pytest.mark.very_slow) for each in STARTS],
)
def test_only_a_user_without_the_bot_is_warned_and_only_once(
    owned: Ladder, stranger: Ladder, command: str
) -> None:
    """A user who registered the bot reads nothing; another user reads one line, once."""
    mine = started(owned, command)
    assert (mine.code in PLAYED, WARNING in mine.err) == (True, False), mine.err
    first = started(stranger, command)
    lines = [line for line in first.err.splitlines() if WARNING in line]
    assert len(lines) == 1, first.err
    assert "`python3 -I -S bot.py honest`" in lines[0]
    assert str(owned.folder) in lines[0]
    again = started(stranger, command)
    assert WARNING not in again.err
    assert {first.code, again.code} <= PLAYED


def registered_anew(ladder: Ladder) -> None:
    assert ladder("bots", "retire", "guest").code == 0
    assert ladder("bots", "unretire", "guest").code == 0


def replaced(ladder: Ladder) -> None:
    assert ladder("bots", "add", "guest", SPEC, "--replace").code == 0


def added_with_others(ladder: Ladder) -> None:
    words = ("--pattern", "bot.py", "--name", "guest", "--spec", SPEC, "--replace")
    assert ladder("bots", "add-all", ".", *words).code == 0


@pytest.mark.slow
@pytest.mark.parametrize("door", [registered_anew, replaced, added_with_others])
def test_every_way_to_register_a_bot_makes_it_known(
    stranger: Ladder, door: Callable[[Ladder], None]
) -> None:
    """What a user brings into lists by a command of their own needs no warning."""
    door(stranger)
    done = started(stranger, "run")
    assert (done.code, WARNING in done.err) == (0, False), done.err


def test_a_changed_launch_is_refused_also_after_the_warning(
    owned: Ladder, stranger: Ladder
) -> None:
    """The mark of a launch must not take the place of the comparison with the specification."""
    changed = owned.folder / "changed.db"
    shutil.copy(owned.folder / "ladder.db", changed)
    with sqlite3.connect(changed) as connection:
        (count,) = connection.execute(
            "select count(*) from revisions where launch like '%honest%'"
        ).fetchone()
        assert count == 1
        connection.execute("update revisions set launch = replace(launch, 'honest', 'crash')")
    connection.close()
    for _ in range(2):
        done = stranger(*STARTS["run"], "--db", "changed.db")
        assert (done.code, "guest is not started" in done.err) == (2, True), done.err


@pytest.mark.very_slow
def test_a_state_folder_that_cannot_be_written_stops_nothing(stranger: Ladder) -> None:
    """Without a place for marks bots are registered and played, and the warning comes each time."""
    stranger.environment["LADDER_STATE"] = "/proc/no-such-place"
    replaced(stranger)
    for _ in range(2):
        done = started(stranger, "run")
        assert (done.code, done.err.count(WARNING)) == (0, 1), done.err
