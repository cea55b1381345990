"""Registering, renaming and forgetting bots, one by one and by the folder."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.conftest import Ladder
from tests.support.hosted import BOT, LEGAL, compiled, write

SPEC = "python:bot.py:Bot"
SHORT = ("--boards", "4x4", "--opening-plies", "0", "--simulations", "1", "--concurrency", "1")


@pytest.fixture
def mine(ladder: Ladder) -> Path:
    """Register a bot, play two games, and return the file that it imports."""
    write(ladder.folder, rules=LEGAL, bot=BOT.format(module="rules"))
    words = ("bots", "add", "mine", SPEC, "--based-on", "random", "--note", "the first\n legal")
    assert ladder.instant()(*words).code == 0
    assert ladder("run", "--bots", "mine,random", *SHORT, "--games", "2").code == 0
    return ladder.folder / "rules.py"


def shown(ladder: Ladder, name: str) -> Any:
    return ladder("bots", "show", name, "--json").document


@pytest.mark.slow
def test_adding_a_bot_again_explains_what_would_happen(ladder: Ladder, mine: Path) -> None:
    """Same or other content, registered or retired: each has a remedy of its own, which works."""
    again = ladder("bots", "add", "mine", SPEC)
    assert (again.code, "same content: there is nothing to add" in again.err) == (2, True)
    assert ladder("bots", "retire", "mine").code == 0
    again = ladder("bots", "add", "mine", SPEC)
    assert (again.code, "`ladder bots unretire mine` brings it back" in again.err) == (2, True)
    back = ladder("bots", "unretire", "mine")
    assert (back.code, "mine plays again" in back.out) == (0, True)
    report = ladder("report", "--json").document
    assert {bot["name"]: bot["games"] for bot in report["bots"]} == {"mine": 2, "random": 2}
    mine.write_text(LEGAL + "# other\n")
    again = ladder("bots", "add", "mine", SPEC)
    assert "its old games no longer count" in again.err
    assert ladder("bots", "retire", "mine").code == 0
    again = ladder("bots", "add", "mine", SPEC)
    assert "a bot named mine is retired with other content" in again.err
    assert ladder("bots", "unretire", "mine").code == 0  # its stored files are there
    assert shown(ladder, "mine")["origin_changed"] is True


@pytest.mark.very_slow
def test_replacing_keeps_what_is_not_given(ladder: Ladder, mine: Path) -> None:
    """Parent and note stay unless the command says otherwise; an empty one takes them away."""
    mine.write_text(LEGAL + "# other\n")
    assert ladder("bots", "add", "mine", SPEC, "--replace").code == 0
    after = shown(ladder, "mine")
    assert (after["based_on"], after["change"], after["revision"]) == (
        "random",
        "the first legal",
        2,
    )
    words = ("bots", "add", "mine", SPEC, "--replace", "--note", "better", "--based-on", "")
    assert ladder(*words).code == 0
    after = shown(ladder, "mine")
    assert (after["based_on"], after["change"]) == (None, "better")


@pytest.mark.slow
def test_a_renamed_bot_keeps_its_games_and_one_with_games_is_kept(
    ladder: Ladder, mine: Path
) -> None:
    """Games follow a name; a bot with games stays, one without goes; built-in names are fixed."""
    del mine
    assert ladder("bots", "rename", "mine", "mine-1").code == 0
    report = ladder("report", "--json").document
    assert {bot["name"] for bot in report["bots"]} == {"mine-1", "random"}
    for words, said in [
        (("rename", "mine-1", "random"), "already registered"),
        (("rename", "mine-1", "a b"), "letters, digits"),
        (("rename", "random", "other"), "is a built-in player"),
        (("add", "v4", "builtin:v3", "--replace"), "is a built-in player"),
        (("delete", "mine-1"), "retire it instead"),
        (("delete", "random"), "is a built-in player"),
        (("delete", "nobody"), "no registered bot is called 'nobody'"),
        (("unretire", "nobody"), "no registered bot is called 'nobody'"),
    ]:
        refused = ladder("bots", *words)
        assert (refused.code, said in refused.err) == (2, True), (words, refused.err)
    assert ladder("bots", "add", "twin", "builtin:random").code == 0
    assert ladder("bots", "delete", "twin").code == 0
    names = [bot["name"] for bot in ladder("bots", "list", "--retired", "--json").document]
    assert "twin" not in names


@pytest.mark.very_slow
def test_bad_libraries_of_a_folder_are_named_and_the_others_registered(ladder: Ladder) -> None:
    """Good ones are registered, bad ones named at the end with the reason, none done twice."""
    folder = ladder.folder / "strategies"
    folder.mkdir()
    compiled(folder)
    for number in (2, 10):
        shutil.copy(folder / "strategy.so", folder / f"{number}.so")
    compiled(folder, "NO_CLEAR")
    (folder / "strategy.so").rename(folder / "7.so")
    words = ("bots", "add-all", "strategies", "--name", "s{stem}", "--concurrency", "2")
    done = ladder(*words)
    assert done.code == 2
    assert done.out.startswith(
        "2 registered, 1 failed:\n  s7 (thu:7.so): the bot failed its trial game"
    )
    assert "no function clearPoint" in done.out
    assert "[3/3]" in done.err
    compiled(folder)
    (folder / "strategy.so").rename(folder / "7.so")
    again = ladder(*words, "--json")
    assert (again.code, again.document["registered"]) == (0, ["s7"])
    assert sorted(again.document["registered_before"]) == ["s10", "s2"]
    run = ("run", "--bots", "s[0-9]*,random", "--pairing", "gauntlet:random", "--boards", "4x4")
    played = ladder(*run, "--time", "500ms", "--margin", "60s", "--games", "6", "--json")
    assert played.code == 0, played.err
    rows = {bot["name"]: bot for bot in played.document["report"]["bots"]}
    assert set(rows) == {"random", "s2", "s7", "s10"}
    assert [sum(bot["forfeits"].values()) for bot in rows.values()] == [0] * 4
