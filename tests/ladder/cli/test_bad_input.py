"""Bad input: exit code 2, one sentence that says what to do, nothing written."""

import json
import sqlite3
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from db.store import Store
from ladder.cli.main import run_command
from ladder.errors import UsageError
from ladder.moments import parse_until
from tests.support.loops import run_in_thread

REFUSED = [
    (("run", "--bots", "nobody"), "no registered bot is called 'nobody'"),
    (("run", "--bots", ","), "--bots: "),
    (("run", "--bots", "v1"), "at least two different bots"),
    (("run", "--boards", "13x7"), "--boards: rows must be 4..12, got 13"),
    (("run", "--boards", "6x7@6,0"), "forbidden cell's row must be 0..5"),
    (("run", "--boards", "6x7,6x7"), "repeated"),
    (("run", "--time", "5ms", "--nodes", "7"), "--time: a time cannot be combined"),
    (("run", "--clock", "10s+"), "--clock: '' is not a time per move"),
    (("run", "--clock", "0s+1s"), "--clock: '0s' is not a whole number of milliseconds"),
    (("run", "--clock", "10s", "--time", "5ms"), "--clock: a clock is the time of a whole game"),
    (("run", "--clock", "v9=5s,10s", "--bots", "v1,v2"), "--clock: v9 does not play in this run"),
    (("run", "--overage", "60s"), "--overage is for moves that take longer than their --time"),
    (("worker", "localhost", "--until", "2020-01-01"), "--until: '2020-01-01' is over"),
    (("worker", "localhost", "--until", "9999d"), "more than a year ahead"),
    (("run", "--depth", "3", "--bots", "v1,v2"), "v1 plays on time or simulations, not on depth"),
    (("run", "--resume", "--new"), "contradict each other"),
    (("run", "--pairing", "gauntlet:nobody"), "is not among the bots"),
    (("run", "--opening-plies", "99", "--boards", "6x7"), "leaves nothing to play"),
    (("run", "--opening-plies", "60"), "--opening-plies: no opening of 60 plies"),
    (("run", "--openings", "missing.txt"), "--openings: missing.txt cannot be read"),
    (("run", "--openings", "balanced", "--boards", "5x5"), "not for 5x5: `ladder openings make"),
    (("train", "value", "--player", "ab3"), "ab3 takes no budget of simulations"),
    (("train", "c4ai", "--opening-plies", "41"), "--opening-plies: no opening of 41 plies"),
    (("run", "--what"), "No such option: --what"),
    (("run", "--max-games", "4"), "No such option: --max-games (Possible options: --games)"),
    (("gate", "v1", "--games", "4"), "No such option: --games (Possible options: --max-games)"),
    (("match", "v1", "v1"), "two different bots"),
    (("gate", "v4", "--against", "v4", "--rated"), "cannot be rated"),
    (("report",), "no database"),
    (("report", "-o", "missing/report.txt"), "does not exist"),
    (("bots", "add", "new", "telnet:host"), "unknown specification"),
    (("bots", "add", "new", "exec:./missing"), "there is no file ./missing"),
    (("bots", "add", "new", "builtin:v24?hint=0.5"), "ladder: there is no option 'hint': there"),
    (("bots", "add", "a b", "builtin:v1"), "a bot's name may have letters"),
    (("solve", "9"), "column 9 is off the board: legal columns were 0, 1, 2, 3, 4, 5, 6"),
    (("solve", "0101010"), "the game is over in '6x7 0101010': nothing to solve"),
    (("solve", "3z"), "'z' at place 2 of '3z' is not a column"),
    (("solve", "--file", "nothing.txt"), "--file: nothing.txt cannot be read: No such file"),
    (("solve", "33", "--file", "nothing.txt"), "either MOVES or --file, not both"),
    (("solve", "08", "--one-based"), "columns 1..7 on the standard board"),
    (("bench", "search", "--bots", "nobody"), "no built-in player matches 'nobody'"),
    (("dance",), "No such command 'dance' (see"),
    (("reprot",), "No such command 'reprot': did you mean `ladder report`?"),
    (("list",), "did you mean `ladder bots list`, `ladder games` or `ladder runs`? (see"),
    (("compare", "v1", "v2"), "`ladder report --compare`"),
    (("show", "1"), "did you mean `ladder bots show`, `ladder replay` or `ladder runs show`?"),
    (("bots", "remove", "v1"), "did you mean `ladder bots retire` or `ladder bots delete`?"),
    (("bots", "show", "flatmc"), "did you mean flat-mc?"),
    (("bots", "add", "mine", "v1"), "'v1' is not a specification: did you mean builtin:v1?"),
]


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every command runs in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LADDER_DB", raising=False)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(("words", "sentence"), REFUSED, ids=[" ".join(w) for w, _ in REFUSED])
def test_bad_input_is_refused(
    words: tuple[str, ...],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    empty_folder: Path,
) -> None:
    """The exit code must be 2, the sentence one line, and the folder as empty as before."""
    assert run_in_thread(run_command, [*words]) == 2
    output = capsys.readouterr()
    assert sentence in output.err
    assert output.err.startswith("ladder: ")
    assert len(output.err.splitlines()) == 1
    assert output.out == ""
    assert list(empty_folder.iterdir()) == []


def other_program(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("create table songs (title text)")
    connection.close()


def newer_version(path: Path) -> None:
    Store.open(str(path)).close()
    with sqlite3.connect(path) as connection:
        connection.execute("update alembic_version set version_num = '9999'")
    connection.close()


def text_file(path: Path) -> None:
    path.write_text("dear diary\n" * 100)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (other_program, "not a ladder database"),
        (text_file, "not a ladder database"),
        (newer_version, "another version of this program"),
    ],
)
@pytest.mark.parametrize("command", ["run", "report"])
def test_a_foreign_database_is_left_alone(
    make: object,
    sentence: str,
    command: str,
    capsys: pytest.CaptureFixture[str],
    empty_folder: Path,
) -> None:
    """A file of another program or a newer version must be refused and not changed."""
    path = empty_folder / "games.db"
    make(path)  # type: ignore[operator]
    before = path.read_bytes()
    capsys.readouterr()
    assert run_command([command, "--db", str(path)]) == 2
    assert sentence in capsys.readouterr().err
    assert path.read_bytes() == before


def test_a_missing_folder_is_named_and_not_made(capsys: pytest.CaptureFixture[str]) -> None:
    """A database in a folder that does not exist must not make the folder."""
    assert run_command(["run", "--db", "no/such/games.db", "--games", "2"]) == 2
    assert "there is no folder" in capsys.readouterr().err
    assert not Path("no").exists()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("games = ", "ladder.toml cannot be read"),
        ("[dance]\nstep = 1\n", "there is no command [dance]"),
        ("[run]\nspeed = 9\n", "[run] has no option 'speed'"),
        ("speed = 9\n", "no command has an option 'speed'"),
        ("[run.fast]\ntime = 9\n", "there is no command [fast]"),
        ("[run]\nbots = []\n", "bots must be a list of one or more words or numbers"),
        ("[run]\nbots = [['v1']]\n", "bots must be a list of one or more words or numbers"),
    ],
)
def test_a_bad_configuration_is_refused(
    content: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The sentence must name the file and what is wrong in it."""
    Path("ladder.toml").write_text(content)
    assert run_command(["run"]) == 2
    assert sentence in capsys.readouterr().err


def test_the_configuration_gives_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    """Options come from ladder.toml unless the command line gives them."""
    Path("ladder.toml").write_text(
        'db = "night.db"\n[run]\ntime = "never"\n[bots.list]\njson = true\nall = true\n'
    )
    assert run_command(["bots", "list"]) == 0
    assert capsys.readouterr().out.startswith("[")
    assert run_command(["report"]) == 2
    assert "night.db" in capsys.readouterr().err
    assert run_command(["run"]) == 2
    assert "'never'" in capsys.readouterr().err


def test_one_board_is_the_default_of_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """`boards` outside of every table must also reach commands with a single `--board`."""
    Path("ladder.toml").write_text('boards = "4x4"\n')
    assert run_command(["solve", "--nodes", "10", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["board"] == "4x4"
    Path("ladder.toml").write_text('boards = ["4x4"]\n')
    assert run_command(["solve", "--nodes", "10", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["board"] == "4x4"
    Path("ladder.toml").write_text('boards = "thu"\n')
    assert run_command(["solve", "1", "--nodes", "10", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["board"] == "6x7"
    Path("ladder.toml").write_text('boards = "3x3"\n')
    assert run_command(["run"]) == 2
    assert "--boards: " in capsys.readouterr().err


def test_a_group_without_a_command_prints_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Help that was not asked for by name is help all the same, and not an error's sentence."""
    assert run_command(["bots"]) == 2
    printed = capsys.readouterr()
    assert printed.out.startswith("Usage: ladder bots")
    assert printed.err == ""


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("exec:cbot", "did you mean ./cbot?"),
        ("exec:bot", "did you mean python3 bot.py?"),
        ("./cbot", "did you mean exec:./cbot?"),
        ("cbot", "did you mean exec:./cbot?"),
        ("bot.py", "did you mean 'exec:python3 bot.py', kaggle:bot.py or python:bot.py:CLASS?"),
    ],
)
def test_a_specification_without_its_kind_is_completed(
    spec: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A user who forgets the kind or the path of a bot must read how to write it."""
    Path("cbot").write_text("")
    Path("bot.py").write_text("")
    assert run_command(["bots", "add", "mine", spec]) == 2
    assert said in capsys.readouterr().err


NOW = datetime(2026, 11, 20, 17, 30)


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("18:00", datetime(2026, 11, 20, 18, 0)),
        ("9:05", datetime(2026, 11, 21, 9, 5)),
        ("17:30", datetime(2026, 11, 21, 17, 30)),
        ("90m", NOW + timedelta(minutes=90)),
        ("1.5d", NOW + timedelta(days=1.5)),
        ("2026-12-01", datetime(2026, 12, 1)),
        (" 2026-11-20T17:31 ", datetime(2026, 11, 20, 17, 31)),
    ],
)
def test_a_time_of_day_is_the_next_one(text: str, until: datetime) -> None:
    """Durations count from now, and times without a zone are local."""
    assert parse_until(text, now=NOW) == until.timestamp()


@pytest.mark.parametrize(
    "text", ["", "24:00", "noon", "17", "2026-11-20", "0h", "400d", "0001-01-01", "9999-12-31"]
)
def test_unreadable_and_past_times_are_refused(text: str) -> None:
    """Each with a sentence that names the option."""
    with pytest.raises(UsageError, match=r"^until: "):
        parse_until(text, now=NOW)
