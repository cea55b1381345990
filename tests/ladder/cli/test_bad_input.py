"""Bad input: exit code 2, one sentence that says what to do, nothing written."""

import shlex
import shutil
import sqlite3
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from db.store import Store
from ladder.errors import UsageError
from ladder.moments import parse_until
from tests.ladder.cli.conftest import Command

GATE = "gate v4 --against v3 --simulations 10 --boards 6x7"
REFUSED = {
    "run --bots nobody": "no registered bot is called 'nobody'",
    "run --bots ,": "--bots: ",
    "run --bots v1,v4 --based-on nobody": "--based-on: it is for a bot that is stored now",
    "run --bots v1": "at least two different bots",
    "run --boards 13x7": "--boards: rows must be 4..12, got 13",
    "run --boards 6x7@6,0": "forbidden cell's row must be 0..5",
    "run --boards 6x7,6x7": "repeated",
    "run --time 5ms --nodes 7": "--time: a time cannot be combined",
    "run --clock 10s+": "--clock: '' is not a time per move",
    "run --clock 0s+1s": "--clock: '0s' is not a whole number of milliseconds",
    "run --clock 10s --time 5ms": "--clock: a clock is the time of a whole game",
    "run --clock v9=5s,10s --bots v1,v2": "--clock: v9 does not play in this run",
    "run --overage 60s": "--overage is for moves that take longer than their --time",
    "worker localhost --until 2020-01-01": "--until: '2020-01-01' is over",
    "worker localhost --until 9999d": "more than a year ahead",
    "run --depth 3 --bots v1,v2": "v1 plays on time or simulations, not on depth",
    "run --resume --new": "contradict each other",
    "run --pairing gauntlet:nobody": "is not among the bots",
    "run --opening-plies 99 --boards 6x7": "leaves nothing to play",
    "run --opening-plies 60": "--opening-plies: no opening of 60 plies",
    "run --openings missing.txt": "--openings: missing.txt cannot be read",
    "run --openings balanced --boards 5x5": "not for 5x5: `ladder openings make",
    "run --what": "No such option: --what",
    "run --max-games 4": "No such option: --max-games (Possible options: --games)",
    "gate v1 --games 4": "No such option: --games (Possible options: --max-games)",
    "match v1 v1": "two different bots",
    "gate v4 --against v4 --rated": "cannot be rated",
    "gate nobody --against v4": "no registered bot is called",
    "gate v4 --against nobody": "no registered bot is called 'nobody'",
    "select random stupid --against random": "named twice",
    "select random nobody": "no registered bot is called 'nobody'",
    "tune 'exec:./bot --c 1' --param c=0..1": "does not contain {c}",
    "tune 'exec:python3 nothing.py {x}' --param x=0..1": "there is no file nothing.py",
    "run --cluster localhost --concurrency 2": "--slots",
    "run --bots nosuch,v1 --games 2 --db mistyped.db": "there is no database",
    "gate nosuch --against v1 --db mistyped.db": "there is no database",
    "gate nosuch --against v1 --stored --db mistyped.db": "there is no database",
    "play nosuch --db mistyped.db": "there is no database",
    "compete nosuch v1 results.txt 1 --db mistyped.db": "there is no database",
    "bots show nosuch --db mistyped.db": "there is no database",
    "bots add new exec:true --based-on nosuch --db mistyped.db": "there is no database",
    "report --compare nosuch v1 --db mistyped.db": "there is no database",
    "replay 1 --db mistyped.db": "there is no database",
    "export --db mistyped.db": "there is no database",
    "replay ''": "GAME is missing",
    "runs --db postgresql://u@127.0.0.1:1/x?sslmod=require": 'invalid connection option "sslmod"',
    "runs --db postgresql://u@127.0.0.1:1/x?connect_timeout=abc": "connect_timeout: 'abc'",
    "runs --db postgresql://u@127.0.0.1:1/x?port=abc": "correct the URL",
    "runs --db postgresql://u@127.0.0.1:1/x?sslmode=never": "correct the URL",
    "report": "no database",
    "report -o missing/report.txt": "does not exist",
    "bots add new telnet:host": "unknown specification",
    "bots add new exec:./missing": "there is no file ./missing",
    "bots add new builtin:v24?hint=0.5": "ladder: there is no option 'hint': there",
    "bots add 'a b' builtin:v1": "a bot's name may have letters",
    "bots add mine v1": "'v1' is not a specification: did you mean builtin:v1?",
    "bots add mine exec:true --git nosuch": "--git: ",
    "bots add mine exec:true --files no/such": "--files: 'no/such' selects no file",
    "bots add mine exec:true --sandbox nosuch": "--sandbox: there is no program 'nosuch'",
    "bots add mine python:b:Bot --python no/such": "python: there is no module b",
    "bots add-all . --spec nosuch --name a": "--pattern: . has no file that matches",
    "bots show flatmc": "did you mean flat-mc?",
    "run --cluster lab --tls-ca-file a --tls-cert b --tls-key c": "the certificates cannot be used",
    "run --tls-ca-file a": "--tls-ca-file is for --cluster, and this machine plays",
    "gate v1 --against v2 --tls-key c": "--tls-key is for --cluster, and this machine plays",
    "play v1 --hints nobody": "no registered bot is called 'nobody'",
    "replay 33 --input nobody --rerun v1": "--input prints what --rerun sends",
    "solve 9": "column 9 is off the board: legal columns were 0, 1, 2, 3, 4, 5, 6",
    "solve 0101010": "the game is over in '6x7 0101010': nothing to solve",
    "solve 3z": "'z' at place 2 of '3z' is not a column",
    "solve --board 99": "--board: ",
    "solve --file nothing.txt": "--file: nothing.txt cannot be read: No such file",
    "solve 33 --file nothing.txt": "either MOVES or --file, not both",
    "solve 08 --one-based": "columns 1..7 on the standard board",
    "bench search --bots nobody": "'nobody' matches no built-in player",
    "gate v4": "Missing option '--against'",
    "gate v4 --against v3,v3": "--against",
    "gate v4 --against v3,": "--against",
    "gate v4 --against v3 --max-drop 0": "--max-drop",
    "gate v4 --against v3 --junit no/such/folder.xml": "--junit",
    "gate v4 --against v3 --summary .": "--summary",
    "gate v4 --against v3 --nodes 5": "v4 plays on",
    "select random": "at least two bots",
    "select random random": "named twice",
    "tune builtin:v18": "--param: name a parameter",
    "tune builtin:v18 --param c=0.2..1 --register v17": "already registered",
    "tune builtin:v18 --param c=0.2..1 --html no/page.html": "does not exist",
    "tune builtin:v18 --param c=0.2..1 --depth 3": "plays on time",
    "bisect python:built.py:Bot --good a --bad b": "is not in a git repository",
    "bisect exec:./x --good a --bad b --repository no/folder": "there is no folder no/folder",
    "nightly exec:./x": "is not in a git repository",
    "nightly exec:./x --repository no/folder": "there is no folder no/folder",
    "nightly exec:./x --max-drop 0": "--max-drop",
    "tune builtin:v18 --param c=0.2..1 --base nobody": "called 'nobody'",
    "suite run random": "name a bot and a suite",
    "suite run random missing.jsonl": "missing.jsonl cannot be read",
    "suite run random standard --time soon": "--time: ",
    "suite run random standard --simulations 1,x": "--simulations: ",
    "suite run random standard --simulations 0": "from 1 to",
    "suite run random standard --time 1s --nodes 5": "cannot be combined",
    "suite make no/such.jsonl": "does not exist",
    "suite make x.jsonl --stored": "no database",
    "suite make x.jsonl --division 1": "give both",
    "suite make x.jsonl --boards 3x3": "--boards: rows must be 4..12",
    "compete nobody builtin:random result.txt 1": "neither a file nor a specification",
    "compete builtin:random builtin:random result.txt 0": "ROUNDS",
    "compete builtin:random builtin:random no/result.txt 1": "RESULT_FILE: the folder",
    "stats elo": "--wdl",
    "stats elo --wdl 1,2,3 --penta 1,2,3,4,5": "--wdl",
    "stats los --penta 0,0,0,0,0": "--penta",
    f"stats los --wdl {'9' * 5000},0,0": "--wdl",
    "stats sprt --wdl 1,2,3 --elo0 5 --elo1 0": "elo0",
    "stats sprt --wdl 1,2,3 --elo0 0 --elo1 5 --alpha 0.7": "alpha",
    "stats sprt --wdl 1,2,3 --elo0 0 --elo1 5 --alpha 1e-12": "must be 1e-09 or more and below",
    "train value --player ab3": "ab3 takes no budget of simulations",
    "train c4ai --opening-plies 41": "--opening-plies: no opening of 41 plies",
    "train c4ai --generations 0": "--generations",
    "train c4ai --games-per-trial 3": "--games-per-trial: it must be even",
    "train c4ai --depth 4": "--depth: it must be odd",
    "train c4ai --boards 3x3": "rows must be",
    "train c4ai --start none.csv": "cannot be read",
    "train c4ai --register 'a b'": "a bot's name",
    "train c4ai --register v4": "already registered",
    "train c4ai -o /dev/null": "--output: /dev/null/generations.jsonl cannot be read",
    "queue add gate nosuch --against v3": "no registered bot is called 'nosuch'",
    "queue add gate v4": "Missing option '--against'",
    "queue add gate v4 --against v3 --boards 1x1": "--boards: ",
    "queue add gate v4 --against v3 --nosuch": "No such option",
    f"queue add -- {GATE} --db x.db": "--db cannot stand in the queue",
    "queue add run --bots v1,v2": "never end: give it --games, --hours or --until-error",
    "queue add select v2 v2 --against v4": "v2 is named twice",
    "queue add suite make x.jsonl": "'suite make' cannot wait in the queue: give one of run",
    "queue add tune builtin:v18 --param nosuch=0..1": "--param: nosuch: v18 has no such option",
    f"queue add {GATE} --note 'a\x1b[31m'": "--note must be printable text",
    "dance": "No such command 'dance' (see",
    "reprot": "No such command 'reprot': did you mean `ladder report`?",
    "list": "did you mean `ladder bots list`, `ladder games` or `ladder runs`? (see",
    "compare v1 v2": "`ladder report --compare`",
    "show 1": "did you mean `ladder bots show`, `ladder replay` or `ladder runs show`?",
    "bots remove v1": "did you mean `ladder bots retire` or `ladder bots delete`?",
}
"""Command lines in an empty folder, and a part of the sentence that refuses each."""

REFUSED_WITH_GAMES = {
    "games --won": "--bot",
    "games --opponent b": "--bot",
    "games --side first": "--bot",
    "games --forfeit --ending timeout": "contradict",
    "games --plies 30..20": "at least 30",
    "games --division other": "there is no division 'other'",
    "games --bot a --won --lost": "contradict",
    "games --bot nobody": "no registered bot is called 'nobody'",
    "games --run 7": "there is no run 7",
    "replay --last-loss b c": "b has lost no game against c",
    "replay --last-loss nobody": "no registered bot is called 'nobody'",
    "replay --last-loss": "--last-loss",
    "replay": "GAME is missing: `ladder games` lists",
    "replay 1 2": "neither a board and moves",
    "replay a": "`ladder games`",
    "replay 1 --nodes 5": "--analyze",
    "replay 1 --time 5s": "--analyze",
    "replay 99 --analyze": "no game 99",
    "report --history nobody": "no registered bot is called 'nobody'",
    "report --mistakes --regressions": "--regressions has no effect with --mistakes",
    "report --against nobody": "'nobody' has no rated games",
    "report --against c --bots a": "has met none",
    "report --against c --compare a b": "--against",
    "report --bots ,": "--bots",
    "report --columns elos": "--columns: the rating list has no column 'elos'",
    "report --fail-undecided": "--fail-undecided needs --regressions",
    "report --json --format csv": "--json and --format contradict each other",
    "report --pairs --format csv": "--pairs has no effect with --format csv",
    "report --html missing/night.html": "does not exist",
    "report --html .": "is a folder",
    "report --html night.html --regressions": "--regressions has no effect with --html",
    "report --html ladder.db": "a file of another program",
    "report --compare a": "--compare needs two or more different bots",
    "report a b": "--compare",
    "report --compare a a": "--compare needs two or more different bots",
    "report --compare a d": "'d' has no rated games",
    "analyze --bots nobody": "no registered bot is called 'nobody'",
    "analyze --division 9x9": "there is no division '9x9'",
    "analyze --nodes 0": "'--nodes': 0 is not a whole number from 1",
    "analyze --db missing.db": "there is no database",
    "serve --password-file no/such": "--password-file: no/such cannot be read",
    "runs delete 1": "--yes",
    "runs delete 9 --yes": "there is no run 9",
    "runs --db ladder.db delete 1 --yes": "--db must follow delete",
    "runs --json delete 1": "--json must follow delete",
    "runs --db none.db": "there is no database",
}
"""Command lines beside the database `games`, likewise."""


@pytest.mark.slow
@pytest.mark.parametrize("line", REFUSED)
def test_bad_input_is_refused(ladder: Command, tmp_path: Path, line: str) -> None:
    """The exit code must be 2, the sentence one line, and the folder as empty as before."""
    done = ladder(*shlex.split(line))
    assert (done.code, done.out) == (2, ""), done.err
    assert REFUSED[line] in done.err
    assert done.err.startswith("ladder: ")
    assert len(done.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("line", REFUSED_WITH_GAMES)
def test_bad_questions_are_refused(ladder: Command, games: Path, tmp_path: Path, line: str) -> None:
    """Nothing is shown, deleted or written."""
    file = Path(shutil.copy(games, tmp_path / "ladder.db"))
    done = ladder(*shlex.split(line))
    assert (done.code, done.out) == (2, ""), done.err
    assert REFUSED_WITH_GAMES[line] in done.err
    assert len(done.err.splitlines()) == 1
    assert [*tmp_path.glob("*.html")] == []
    with Store.open(str(file)) as store:
        assert sum(store.games.count_by_run().values()) == 20


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
        (newer_version, "newer version of this program"),
    ],
)
@pytest.mark.parametrize("command", ["run", "report"])
def test_a_foreign_database_is_left_alone(
    ladder: Command, tmp_path: Path, make: Callable[[Path], None], sentence: str, command: str
) -> None:
    """A file of another program or a newer version must be refused and not changed."""
    path = tmp_path / "games.db"
    make(path)
    before = path.read_bytes()
    done = ladder(command, "--db", path)
    assert done.code == 2
    assert sentence in done.err
    assert path.read_bytes() == before


def test_a_missing_folder_is_named_and_not_made(ladder: Command) -> None:
    """A database in a folder that does not exist must not make the folder."""
    done = ladder("run", "--db", "no/such/games.db", "--games", "2")
    assert (done.code, "there is no folder" in done.err) == (2, True)
    assert not Path("no").exists()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("games = ", "ladder.toml cannot be read"),
        ("[dance]\nstep = 1\n", "there is no command [dance]"),
        ("[run]\ngames = 0\n", "ladder.toml: Invalid value for '--games': 0 is not a whole"),
        ("[run]\ntime = 'x'\n", "ladder.toml: --time: 'x' is not a time"),
        ("[run]\nspeed = 9\n", "[run] has no option 'speed'"),
        ("speed = 9\n", "no command has an option 'speed'"),
        ("[run.fast]\ntime = 9\n", "there is no command [fast]"),
        ("[run]\nbots = []\n", "bots must be a list of one or more words or numbers"),
        ("[run]\nbots = [['v1']]\n", "bots must be a list of one or more words or numbers"),
    ],
)
def test_a_bad_configuration_is_refused(ladder: Command, content: str, sentence: str) -> None:
    """The sentence must name the file and what is wrong in it."""
    Path("ladder.toml").write_text(content)
    done = ladder("run")
    assert (done.code, sentence in done.err) == (2, True)


def test_the_configuration_gives_defaults(ladder: Command) -> None:
    """Options come from ladder.toml unless the command line gives them."""
    Path("ladder.toml").write_text(
        'db = "night.db"\n[run]\ntime = "never"\n[bots.list]\njson = true\nall = true\n'
    )
    assert ladder("bots", "list").out.startswith("[")
    assert "night.db" in ladder("report").err
    assert "'never'" in ladder("run").err


@pytest.mark.parametrize(
    ("boards", "board"), [('"4x4"', "4x4"), ('["4x4"]', "4x4"), ('"thu"', "6x7")]
)
def test_one_board_is_the_default_of_every_command(
    ladder: Command, boards: str, board: str
) -> None:
    """`boards` outside of every table must also reach commands with a single `--board`."""
    Path("ladder.toml").write_text(f"boards = {boards}\n")
    assert ladder("solve", "1", "--nodes", "10", "--json").document["board"] == board
    Path("ladder.toml").write_text('boards = "3x3"\n')
    assert "--boards: " in ladder("run").err


def test_a_group_without_a_command_prints_its_help(ladder: Command) -> None:
    """Help that was not asked for by name is help all the same, and not an error's sentence."""
    done = ladder("bots")
    assert (done.code, done.err) == (2, "")
    assert done.out.startswith("Usage: ladder bots")


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
    ladder: Command, spec: str, said: str
) -> None:
    """A user who forgets the kind or the path of a bot must read how to write it."""
    Path("cbot").write_text("")
    Path("bot.py").write_text("")
    done = ladder("bots", "add", "mine", spec)
    assert (done.code, said in done.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"6x7 01\n", "'6x7 01' is not for the boards 5x5"),
        (b"5x5 01\n5x5 00000\n5x5 000000\n", "lines.txt, line 3: column 0 is full"),
        (b"\xff\xfe\x00", "lines.txt is not a text file"),
    ],
)
def test_a_bad_file_of_openings_is_refused(
    ladder: Command, tmp_path: Path, text: bytes, sentence: str
) -> None:
    """One sentence names the line, and no database is created."""
    Path("lines.txt").write_bytes(text)
    done = ladder("match", "random", "stupid", "--openings", "lines.txt", "--boards", "5x5")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert sentence in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["lines.txt"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("nowhere", "is not a folder"),
        (". --pattern *.dll", "has no file that matches"),
        (". --pattern *.so --name same", "gives all bots the same name"),
        (". --pattern *.txt", "--spec: c.txt needs a specification"),
    ],
)
def test_a_folder_of_bots_that_cannot_be_registered_is_refused(
    ladder: Command, tmp_path: Path, words: str, said: str
) -> None:
    """Each is refused before any bot is tried."""
    for name in ("a.so", "b.so", "c.txt"):
        Path(name).write_text("x")
    refused = ladder("bots", "add-all", *words.split())
    assert (refused.code, said in refused.err) == (2, True), refused.err
    assert len([*tmp_path.iterdir()]) == 3


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
