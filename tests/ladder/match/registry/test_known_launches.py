"""Marks of launches that a user knows: what makes another launch, and where the marks lie."""

from pathlib import Path

import msgspec
import pytest

from db.records.bots import BotRow, RevisionRow
from db.records.launch import Launch, Origin
from ladder.cli.first_starts import warn_about_unknown
from ladder.errors import Stopped
from ladder.match.registry.known_launches import launches_folder, mark_launch, unknown_bots
from ladder.signals import StopToken, use_stop

ORIGIN = Origin("main", "c", "t", "inner", "make", "/place", "digest")
LAUNCH = Launch(command=("./guest",), folder="/bots", python="/usr/bin/python3", origin=ORIGIN)


def bot(launch: Launch = LAUNCH, spec: str = "exec:./guest") -> BotRow:
    revision = RevisionRow(1, 1, 1, "hash", launch, ("any",), None, {}, 0.0)
    return BotRow(1, "guest", "foreign", spec, None, "", 0.0, None, revision)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Provide a user who knows no launch."""
    monkeypatch.setenv("LADDER_STATE", str(tmp_path / "state"))


@pytest.mark.parametrize(
    "other",
    [
        bot(spec="exec:./other"),
        bot(msgspec.structs.replace(LAUNCH, folder="/other")),
        bot(msgspec.structs.replace(LAUNCH, python="/other")),
        bot(msgspec.structs.replace(LAUNCH, origin=None)),
        *(
            bot(msgspec.structs.replace(LAUNCH, origin=msgspec.structs.replace(ORIGIN, **change)))
            for change in ({"place": "/other"}, {"inner": "other"}, {"digest": "other"})
        ),
    ],
)
def test_another_launch_of_a_known_bot_is_unknown(other: BotRow) -> None:
    """Another specification, folder, interpreter or copy must be unknown all the same."""
    mark_launch("exec:./guest", LAUNCH)
    assert unknown_bots([bot()]) == []
    assert unknown_bots([bot(), other, other]) == [other]


def test_players_of_this_installation_and_descriptions_need_no_mark() -> None:
    """A built-in player is the ladder itself, and an imported bot starts nothing."""
    player = bot(Launch(command=(), folder="", player="v4"), "builtin:v4")
    imported = bot(Launch(command=(), folder=""))
    from_git = bot(Launch(command=(), folder="/copy", player="v4", origin=ORIGIN), "builtin:v4")
    assert unknown_bots([player, imported, from_git]) == [from_git]


def test_a_hostile_launch_is_one_printable_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A stored text must neither steer the terminal nor push the advice out of it."""
    evil = "\x1b[2J\nfine" + "x" * 100_000
    warn_about_unknown([bot(Launch(command=(evil,), folder=evil), f"exec:{evil}")])
    shown = capsys.readouterr().err
    assert shown.count("\n") == 1
    assert shown.rstrip("\n").isprintable()
    assert "press Ctrl-C" in shown
    assert len(shown) < 2000


def test_a_bot_stays_unknown_after_a_stop_at_the_warning(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A user who pressed Ctrl-C must be warned again before the bot is started."""
    with use_stop(StopToken()) as stop:
        stop.request()
        with pytest.raises(Stopped):
            warn_about_unknown([bot()])
    warn_about_unknown([bot()])
    warn_about_unknown([bot()])
    assert capsys.readouterr().err.count("press Ctrl-C") == 2


def test_marks_lie_in_the_users_folder_for_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """`LADDER_STATE` comes before the user's state folder, which has a usual place."""
    monkeypatch.setenv("LADDER_STATE", "/given")
    assert launches_folder() == Path("/given/launches")
    monkeypatch.delenv("LADDER_STATE")
    monkeypatch.setenv("XDG_STATE_HOME", "/xdg")
    assert launches_folder() == Path("/xdg/connect4-ladder/launches")
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert launches_folder() == Path("/home/me/.local/state/connect4-ladder/launches")
