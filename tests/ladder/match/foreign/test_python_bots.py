"""Python classes, hosted apart."""

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bots.budget import Clock
from bots.errors import SpecError
from bots.foreign import SCRIPT
from bots.protocol import Budget
from ladder.errors import UsageError
from ladder.registry.specs.spec import BotSource, read_spec
from tests.support.hosted import BOT, LEGAL, entrant, games_of, play, refusal, tried, write

HOSTS = ("python", "kaggle", "thu", "saiblo")


def test_hosts_are_self_contained() -> None:
    """A host parses as Python 3.8 and imports only the standard library and its shared parts."""
    files = [*Path(SCRIPT).parent.glob("*_*.py"), *Path(SCRIPT).parent.glob("stand_ins/*.py")]
    names = {
        (name or "").partition(".")[0]
        for file in files
        if file.name != "__init__.py"
        for node in ast.walk(ast.parse(file.read_text(), feature_version=(3, 8)))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert names <= sys.stdlib_module_names | {
        "__future__",
        "stand_ins",
        *(file.stem for file in files),
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "spec"), [("engine", "python:bot.py:Bot"), ("bots", "python:mine.bot:Bot")]
)
def test_a_package_with_one_of_our_names_works(tmp_path: Path, package: str, spec: str) -> None:
    """The bot must import its own package, not ours, which is installed beside it."""
    write(tmp_path, **{f"{package}/__init__": "", f"{package}/rules": LEGAL})
    source = BOT.format(module=f"{package}.rules")
    write(tmp_path, **{"bot": source, "mine/__init__": "", "mine/bot": source})
    found = tried(spec, tmp_path, python=sys.executable)
    assert (found.name, len(found.trials)) == ("Bot", 2)


@pytest.mark.slow
def test_prints_do_not_disturb_the_protocol(tmp_path: Path) -> None:
    """What a bot and its children write to standard output must go elsewhere."""
    shout = "import os\nprint('loud')\nos.system('echo louder')\n"
    write(
        tmp_path,
        rules=LEGAL + shout,
        bot=BOT.format(module="rules")
        .replace("return legal", "print('thinking'); os.write(1, b'raw'); return legal")
        .replace("from rules", "import os\nfrom rules"),
    )
    tried("python:bot.py:Bot", tmp_path)
    assert [*tmp_path.rglob("__pycache__")] == []  # the author's folder stays as it was


@pytest.mark.slow
def test_what_a_bot_prints_is_there_when_it_is_killed(tmp_path: Path) -> None:
    """Its author must find it in the log, which gets what is written to standard error."""
    write(tmp_path, rules=LEGAL, bot="print('loaded')\n" + BOT.format(module="rules"))
    with subprocess.Popen(
        [sys.executable, SCRIPT, "python", tmp_path, "bot.py:Bot"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env={},
    ) as host:
        assert host.stdin is not None
        assert host.stdout is not None
        host.stdin.write(b'{"type":"hello","protocol":1}\n')
        assert b"hello" in host.stdout.readline()
        host.kill()
        assert host.communicate()[1] == b"loaded\n"


@pytest.mark.slow
def test_the_claims_of_a_class_are_found(tmp_path: Path) -> None:
    """Name, version, budgets and boards must come from its attributes; info is passed on."""
    write(
        tmp_path,
        rules=LEGAL,
        bot=BOT.format(module="rules")
        .replace(
            "class Bot:",
            "class Bot:\n    name, version = 'Deep Four', '2'\n"
            "    budgets, boards = ['simulations'], ['standard']",
        )
        .replace("moves)[0]", "moves)[0], {'value': 0.5, 'simulations': 7}"),
    )
    found = tried("python:bot.py:Bot", tmp_path)
    assert (found.name, found.version) == ("Deep Four", "2")
    assert (found.budgets, found.boards) == (("simulations",), ("standard",))
    games = games_of(play(entrant("python:bot.py:Bot", tmp_path), "6x7"))
    assert {game.sides[game.swapped].simulations // 7 for game in games} == {
        game.sides[game.swapped].moves for game in games
    }


@pytest.mark.slow
def test_an_error_has_its_last_line_and_its_place(tmp_path: Path) -> None:
    """The author must read what was raised, in which file and line."""
    broken = BOT.format(module="rules").replace("return legal", "return 1 // 0 or legal")
    write(tmp_path, rules=LEGAL, bot=broken)
    sentence = refusal("python:bot.py:Bot", tmp_path)
    assert "ZeroDivisionError" in sentence
    assert f"({tmp_path}/bot.py, line 8, in choose)" in sentence


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("class Bot:\n    def choose(self, moves): return 0\n", "has no method new_game"),
        ("class Other: pass\n", "has no class Bot: it has Other"),
        ("def Bot(moves): return 0\n", "Bot is a function, and python: needs a class with new_g"),
        ("class Bot:\n  def\n", "SyntaxError"),
        ("import no_such_thing\n", "choose another interpreter by --python"),
        ("import sys\nsys.exit('my weights are missing')\n", "my weights are missing"),
    ],
)
def test_what_cannot_be_a_bot_is_explained(tmp_path: Path, source: str, expected: str) -> None:
    """Each kind of wrong file must be refused with a reason that its author can act on."""
    write(tmp_path, bot=source)
    assert expected in refusal("python:bot.py:Bot", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["None", "2.5", "[1, 'high']"])
def test_answers_that_are_not_whole_numbers_are_explained(tmp_path: Path, answer: str) -> None:
    """Only whole numbers are columns."""
    wrong = BOT.format(module="rules").replace("return legal", f"return {answer} or legal")
    wrong = wrong.replace("None or legal(self.board, moves)[0]", "None")
    write(tmp_path, rules=LEGAL, bot=wrong)
    expected = answer.split()[-1].rstrip("]")
    assert expected in refusal("python:bot.py:Bot", tmp_path)


def test_an_interpreter_that_cannot_host_the_bot_is_refused(tmp_path: Path) -> None:
    """An invalid or too old interpreter is refused before the bot is tried."""
    write(tmp_path, rules=LEGAL, bot=BOT.format(module="rules"))
    for python, expected in [
        ("/no/such/python", "neither a file nor a program"),
        ("/bin/false", "is not a Python interpreter"),
    ]:
        with pytest.raises(SpecError, match=expected):
            read_spec(BotSource("python:bot.py:Bot", tmp_path, python))
    with pytest.raises(UsageError, match="not exec"):
        read_spec(BotSource("exec:./x", tmp_path, "python3"))


@pytest.mark.slow
def test_a_host_ends_with_quit() -> None:
    """Every host must exit with status 0 when asked to."""
    for host in HOSTS:
        command = [sys.executable, SCRIPT, host, "/", "x"]
        assert subprocess.run(command, input=b'{"type":"quit"}\n', check=False).returncode == 0


@pytest.mark.parametrize("spec", ["python:bot.py", "python:no.such:Bot", "pyhton:x", "x"])
def test_specifications_that_name_nothing_are_refused(tmp_path: Path, spec: str) -> None:
    """The sentence must say what is missing or list the forms."""
    with pytest.raises(SpecError, match="write"):
        read_spec(BotSource(spec, tmp_path))


CLOCKED = """
class Bot:
    budgets = {budgets}
    def new_game(self, board, side, seed, budget):
        assert budget == {budget}, budget
        self.rows = board["rows"]
    def choose(self, moves{parameter}):
        {check}
        return [c for c in range(7) if moves.count(c) < self.rows][-1]
"""
KNOWS_CLOCK = {
    "budgets": ["clock"],
    "budget": {"clock": {"base_ms": 9000, "increment_ms": 100}},
    "parameter": ", clock",
    "check": "assert 0 < clock['move_ms'] <= clock['yours_ms'] and clock['increment_ms'] == 100",
}
KNOWS_TIME = {"budgets": ["time"], "budget": {"time_ms": 471}, "parameter": "", "check": "pass"}


@pytest.mark.slow
@pytest.mark.parametrize("bot", [KNOWS_CLOCK, KNOWS_TIME], ids=["clock", "time"])
def test_a_class_sees_the_clock_or_is_given_a_time(bot: dict[str, Any], tmp_path: Path) -> None:
    """A class that lists the clock gets it with each question, another one a time per move."""
    write(tmp_path, bot=CLOCKED.format(**bot))
    budget = Budget(clock=Clock(9000, 100))
    player = entrant("python:bot.py:Bot", tmp_path, budget=budget, kinds=bot["budgets"])
    assert [game.detail for game in games_of(play(player, "6x7"))] == ["", ""]
