"""Engines that read the moves as a line and write a column."""

import re
import shutil
from pathlib import Path

import pytest

from bots.errors import SpecError
from bots.protocol import Budget
from ladder.registry.specs.spec import BotSource, pack_bot, read_spec
from ladder.registry.specs.targets import split_list
from tests.support.hosted import FAKE_BOTS, entrant, games_of, play, refusal, tried, write

ENGINE = "python3 engine.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(FAKE_BOTS / "moves_engine.py", tmp_path / "engine.py")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "board"),
    [
        (f"moves:{ENGINE} 1 7 column", "6x7"),
        (f"moves:first=0,answer=scores:{ENGINE} 0 7 scores", "6x7"),
        (f"moves:boards=6x4,run=each:{ENGINE} 1 {{columns}} argument {{moves}}", "6x4"),
        (f"moves:boards=6x4,run=each,first=0:{ENGINE} 0 4 column", "6x4"),
        (f"moves:boards=6x7,6x11:{ENGINE} 1 {{columns}} column", "6x11"),
    ],
)
def test_an_engine_reads_each_position_as_a_line(folder: Path, spec: str, board: str) -> None:
    """All moves must come in one line, in the engine's own numbers, and its answer be played."""
    games = games_of(play(entrant(spec, folder), board))
    assert [game.detail for game in games] == ["", ""]


@pytest.mark.slow
def test_a_trial_shows_the_boards_of_an_engine(folder: Path) -> None:
    """It plays the boards that its options name, without a forbidden cell, in one process."""
    found = tried(f"moves:{ENGINE} 1 7 column", folder)
    assert (found.name, found.boards, len(found.trials)) == ("engine", ("6x7",), 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("moves:python3 first.py 0", "columns count from 1 to 7: write moves:first=0:COMMAND"),
        ("moves:first=0:python3 first.py 7", "from 0 to 6: write moves:first=1:COMMAND"),
        ("moves:ENGINE 1 7 scores", "write moves:answer=scores:COMMAND if it writes a score"),
        ("moves:answer=scores:ENGINE 1 7 column", "leave answer=scores out if it writes a column"),
        ("moves:ENGINE 1 7 twice", "a second line with a number, "),
        ("moves:ENGINE 1 7 late", "a second line with a number, "),
        ("moves:python3 ends.py", "status 0 .* after the line '', whose columns count from 1"),
    ],
)
def test_a_wrong_option_is_named(folder: Path, spec: str, expected: str) -> None:
    """The trial must say which option fits what the engine has written."""
    write(
        folder,
        first="import sys\nfor _ in sys.stdin:\n    print(sys.argv[1], flush=True)\n",
        ends="input()",
    )
    sentence = refusal(spec.replace("ENGINE", ENGINE), folder)
    assert re.search(expected, sentence), sentence


@pytest.mark.slow
def test_an_engine_that_is_too_slow_for_the_empty_board_is_tried_later(folder: Path) -> None:
    """Solvers without a book take minutes there, and play from openings."""
    wait = "import sys, time\nfor line in sys.stdin:\n    time.sleep(0 if len(line) > 14 else 60)\n"
    write(folder, solver=wait + "    print(next(c for c in '1234567' if line.count(c) < 6))\n")
    found = tried("moves:python3 -u solver.py", folder)
    assert "its runs need --opening-plies 14" in found.left_out
    assert all(trial.plies > 14 for trial in found.trials)


@pytest.mark.slow
def test_an_engine_that_gets_its_time_keeps_to_it(folder: Path) -> None:
    """`{time_ms}` is the time of a move, so the bot plays under a time per move only."""
    timed = "import sys\nassert sys.argv[1] == '300'\nfor line in sys.stdin:\n"
    write(folder, timed=timed + "    print(1 + line.count('1') // 6, flush=True)\n")
    spec = "moves:python3 timed.py {time_ms}"
    assert tried(spec, folder, time_ms=300).budgets == ("time",)
    assert "gave up" in refusal(spec, folder, time_ms=299)
    games = games_of(play(entrant(spec, folder, budget=Budget(time_ms=300)), "6x7"))
    assert "status 1" not in "".join(game.detail for game in games)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("moves:fist=0:python3 engine.py", "no option 'fist'"),
        ("moves:first=2:python3 engine.py", "write first=1 or first=0"),
        ("moves:first=0 python3 engine.py", "a colon must stand between"),
        ("moves:first=0:", "no command follows the options"),
        ("moves:boards=thu:python3 engine.py", "without a forbidden cell"),
        ("moves:boards=6x7@0,3:python3 engine.py", "without a forbidden cell"),
    ],
)
def test_options_that_cannot_be_read_are_refused(folder: Path, spec: str, expected: str) -> None:
    """Nothing may be started with an option that has no meaning."""
    with pytest.raises(SpecError, match=expected):
        read_spec(BotSource(spec, folder))


def test_options_are_part_of_a_bot_however_they_are_written(folder: Path) -> None:
    """A default that is written out is no other bot; another value is one."""
    specs = ("moves:", "moves:first=1:", "moves:boards=standard,run=once:", "moves:first=0:")
    hashes = [pack_bot(BotSource(f"{spec}{ENGINE}", folder)).content_hash for spec in specs]
    assert hashes[0] == hashes[1] == hashes[2] != hashes[3]


def test_commas_between_options_do_not_end_a_bot_in_a_list() -> None:
    """A list of bots separated by commas may hold an engine with several options."""
    text = "v4,moves:boards=6x7,8x8,first=0:./a -x,moves:./b, exec:./c"
    expected = ["v4", "moves:boards=6x7,8x8,first=0:./a -x", "moves:./b", "exec:./c"]
    assert split_list(text) == expected
