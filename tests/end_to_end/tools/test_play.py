"""A person against a bot: over a pipe and at a keyboard, with real bots in real processes."""

import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.end_to_end.conftest import FAKE_BOTS, Ladder
from tests.end_to_end.keyboard import CTRL_D, ENTER, LEFT, RIGHT, Keyboard
from tests.end_to_end.traces import examined, marked, query
from tests.support.waiting import eventually

HONEST = f"exec:{sys.executable} -I -S bot.py honest"
"""A bot of a copied file that plays the leftmost column."""
WIN = "6\n6\n6\n6\n"
"""Four in column 6; a bot that plays the leftmost column does not prevent it."""


@pytest.fixture
def scratch(ladder: Ladder) -> str:
    """Return a folder that only the bots of this test have their scratch folders in."""
    folder = ladder.folder / "scratch"
    folder.mkdir()
    ladder.environment["TMPDIR"] = str(folder)
    return str(folder)


@pytest.fixture
def keyboard(ladder: Ladder) -> Iterator[Callable[..., Keyboard]]:
    """Start commands at terminals, and kill them at the end."""
    started: list[Keyboard] = []

    def start(*words: str, **environment: str) -> Keyboard:
        environment = {**ladder.environment, **environment}
        started.append(Keyboard(list(words), folder=ladder.folder, environment=environment))
        return started[-1]

    yield start
    for board in started:
        board.close()


@pytest.mark.slow
def test_a_game_is_played_over_a_pipe(ladder: Ladder) -> None:
    """Lines are moves, the board has no colours, and nothing stays in the folder."""
    done = ladder.run_with_input(WIN, "play", "stupid", "--time", "20ms")
    assert done.code == 0, done.err
    assert "you (X) against stupid (O) on 6x7, 20 ms a move" in done.out
    assert "stupid played 0" in done.out
    assert " 0  1  2  3  4  5  6" in done.out
    assert " O  .  .  .  .  . [X]" in done.out
    assert "you won against stupid: four in a row" in done.out
    assert "\x1b" not in done.out
    assert list(ladder.folder.iterdir()) == []


@pytest.mark.slow
def test_a_game_is_replayed_by_its_line_and_saved_as_one_of_human(ladder: Ladder) -> None:
    """The line needs no database; a saved game is unrated, and nothing plays its bot `human`."""
    done = ladder.run_with_input(WIN, "play", "stupid", "--seed", "5")
    assert done.out.endswith("`ladder replay 6x7 6060606` shows this game\n")
    assert not Path(ladder.db).exists()
    shown = ladder("replay", "6x7", "6060606")
    assert shown.code == 0, shown.err
    assert "first (X) against second (O) on 6x7\nfirst won by four in a row" in shown.out
    assert "not over after 3 plies" in ladder("replay", "6x7 606").out
    document = ladder("replay", "6x7 6060606", "--json", "--analyze").document
    assert (document["id"], document["pair"], document["game"]) == (None, None, None)
    assert len(document["analysis"]["moves"]) == 7
    assert (
        "neither a board and moves (column 9 is off the board" in ladder("replay", "6x7", "9").err
    )
    assert not Path(ladder.db).exists()

    run = ("run", "--bots", "random,stupid", "--boards", "6x7", "--games", "4", "--seed", "1")
    assert ladder.instant()(*run).code == 0
    before = ladder("report", "--json").document["bots"]
    done = ladder.run_with_input(WIN, "play", "stupid", "--save", "--seed", "5")
    assert done.code == 0, done.err
    assert done.out.endswith("saved as game 5: `ladder replay 5` shows it\n")
    assert ladder("report", "--json").document["bots"] == before
    assert examined(ladder.db) == []
    shown = ladder("replay", "5")
    assert shown.code == 0, shown.err
    assert "game 5: human (X) against stupid (O) on 6x7" in shown.out
    assert "human won by four in a row after 7 plies" in shown.out
    game = ladder("games", "--bot", "human", "--json").document["games"][0]
    assert (game["game"], game["first"], game["run"]) == (5, "human", 2)
    assert "human against stupid" in ladder("runs").out
    for refused in (
        ("run", "--bots", "human,stupid"),
        ("match", "human", "stupid"),
        ("gate", "human", "--against", "stupid"),
        ("play", "human"),
        ("bots", "unretire", "human"),
    ):
        done = ladder(*refused)
        assert done.code == 2
        assert "human stands for people and has no program" in done.err, refused
    assert "human is the name of people" in ladder("bots", "add", "human", HONEST).err
    assert "human" not in ladder("run", "--bots", "[hrs]*", "--games", "2", "--seed", "2").out


@pytest.mark.slow
def test_a_game_that_cannot_be_saved_is_printed_as_its_line(ladder: Ladder) -> None:
    """No bot registered later gets the game of a deleted one; a game that was left is not saved."""
    shutil.copy(FAKE_BOTS / "bot.py", ladder.folder)
    assert ladder("bots", "add", "mine", HONEST).code == 0
    process = ladder.start("play", "mine", "--save", "--seed", "5", stdin=subprocess.PIPE)
    eventually(lambda: any("bot.py" in line for line in children(process.pid)))
    assert ladder("bots", "delete", "mine").code == 0
    assert ladder("bots", "add", "other", HONEST).code == 0
    out, err = process.communicate(WIN, timeout=60)
    assert process.returncode == 2, err
    assert "you won against mine" in out
    assert "saved as game" not in out
    assert err == (
        "ladder: the game was not saved: the bot of this game was deleted while it played, so the "
        "game cannot be stored; `ladder replay 6x7 6060606` shows this game\n"
    )
    done = ladder.run_with_input("6\n", "play", "stupid", "--save")
    assert done.code == 0
    assert "not saved: the game was not over" in done.err
    assert query(ladder.db, "select count(*) from games") == [(0,)]


@pytest.mark.slow
def test_a_signal_ends_the_game_and_its_processes(ladder: Ladder, scratch: str) -> None:
    """A signal while a bot thinks gives exit code 130, no traceback and no process left."""
    process = ladder.start("play", "v4", "--time", "60s", "--side", "second", stdin=subprocess.PIPE)
    eventually(lambda: any("bots.host" in line for line in children(process.pid)))
    done = ladder.interrupt(process, signal.SIGTERM)
    assert done.code == 130, done.err
    assert "Traceback" not in done.err
    assert marked(scratch) == []


def children(pid: int) -> list[str]:
    """Return the command lines of a process's descendants, without those that just ended."""
    found = []
    for child in psutil.Process(pid).children(recursive=True):
        try:
            found.append(" ".join(child.cmdline()))
        except psutil.Error:
            continue
    return found


@pytest.mark.slow
def test_arrows_choose_a_column_and_enter_drops(
    ladder: Ladder, keyboard: Callable[..., Keyboard]
) -> None:
    """Arrows and typed numbers move a marker over the columns, and Enter drops."""
    board = keyboard("play", "stupid", "--save")
    board.wait_for("your move (X), 0 to 6, or ?> _")
    board.press(RIGHT, RIGHT)
    board.press(ENTER)
    board.wait_for("stupid played 0")
    board.press("6", "\x7f", "5", ENTER)
    board.wait_for("is thinking")
    board.wait_for("or ?> _")
    board.press("undo", ENTER)
    board.wait_for("or ?> _")
    board.press("zz", ENTER)
    board.wait_for("'zz' is neither a column nor a command")
    board.wait_for("or ?> _")
    board.press(LEFT, LEFT, RIGHT, RIGHT)
    for _ in range(2):
        board.press(ENTER)
        board.wait_for("is thinking")
        board.wait_for("> _")
    board.press(ENTER)
    board.wait_for("you won against stupid")
    board.wait_for("undo, info or quit> _")
    board.press(CTRL_D)
    board.wait_for("saved as game 1")
    assert board.end() == 0
    assert termios.tcgetattr(board.slave) == board.modes
    with sqlite3.connect(ladder.folder / "ladder.db") as connection:
        moves = connection.execute("select moves, opening_plies from games").fetchall()
    connection.close()
    assert moves == [("5050505", 0)]


@pytest.mark.slow
def test_a_closed_terminal_leaves_no_process(
    scratch: str, keyboard: Callable[..., Keyboard]
) -> None:
    """The game ends with its terminal, and its bot too."""
    board = keyboard("play", "stupid", "--time", "10ms")
    board.wait_for("or ?> _")
    assert "\x1b[1;31m" in board.raw
    board.hang_up()
    assert board.process.wait(timeout=30) != 0
    eventually(lambda: not marked(scratch))


@pytest.mark.slow
def test_a_replay_steps_by_keys(ladder: Ladder, keyboard: Callable[..., Keyboard]) -> None:
    """Keys step and jump, NO_COLOR leaves out colours, and the terminal is as before."""
    run = ("run", "--bots", "stupid,random", "--boards", "6x7", "--games", "2", "--seed", "1")
    assert ladder.instant()(*run, "--simulations", "40", "--opening-plies", "2").code == 0
    last = len(ladder("replay", "1", "--json").document["moves"])
    board = keyboard("replay", "1", NO_COLOR="1")
    assert "game 1: " in board.wait_for(f"[2/{last}] _")
    for keys, ply in ((RIGHT, 3), (ENTER, 4), (LEFT, 3), ("b", 2), ("\x1b[F", last), ("\x1bOH", 0)):
        board.press(keys)
        board.wait_for(f"[{ply}/{last}] _")
    board.press("5", ENTER)
    assert "ply 5: " in board.wait_for(f"[5/{last}] _")
    board.press("99", ENTER)
    board.wait_for(f"type 0 to {last}")
    board.press("q")
    assert board.end() == 0
    assert termios.tcgetattr(board.slave) == board.modes
    assert not re.search(r"\x1b\[(1;)?3\dm", board.raw)
