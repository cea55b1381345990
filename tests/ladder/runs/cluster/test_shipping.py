"""Bots that are sent to machines: packed, unpacked there, refused where something differs."""

import os
import shutil
import sys
import venv
from pathlib import Path

import msgspec
import pytest

from db.records.launch import DEFAULT_LIMITS
from db.store import Store
from ladder.cli.main import run_command
from ladder.errors import UsageError
from ladder.match.registry.builtins import sync_builtins
from ladder.match.specs.spec import read_spec
from ladder.runs.cluster.archive import FILES, unpack
from ladder.runs.cluster.bot_bundle import BotBundle, pack_bots
from ladder.runs.cluster.shipping import ShippedBot, start_here

BOT = Path(__file__).resolve().parents[3] / "fake_bots" / "bot.py"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a bot of two files, which is the current one."""
    folder = tmp_path / "home"
    folder.mkdir()
    shutil.copy(BOT, folder / "bot.py")
    (folder / "weights.txt").write_text("3 4 5")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LADDER_DB", str(folder / "ladder.db"))
    return folder


def add(*words: str) -> None:
    assert run_command(["bots", "add", "mine", *words]) == 0


def packed(home: Path, *names: str) -> BotBundle:
    with Store.open(str(home / "ladder.db")) as store:
        bots = [store.bots.get(name) for name in names]
        return pack_bots(bots, limits=DEFAULT_LIMITS, sandbox=(), pin=True)


def arrive(bot_bundle: BotBundle, place: Path) -> Path:
    for name, archive in bot_bundle.archives.items():
        unpack(archive, place / name)
    return place


@pytest.mark.slow
def test_a_sent_bot_plays_from_its_unpacked_files(home: Path, tmp_path: Path) -> None:
    """Its start lies in the machine's own folder; a file that was changed there is noticed."""
    add(f"exec:{sys.executable} -I -S bot.py honest", "--files", "*.txt")
    bot_bundle = packed(home, "mine", "random")
    (home / "bot.py").unlink()
    place = arrive(bot_bundle, tmp_path / "archives")
    mine, own = bot_bundle.manifest.bots
    start = start_here(mine, place)
    assert Path(start.folder).is_relative_to(place)
    assert {Path(each.path).name for each in start.content} >= {"bot.py", "weights.txt"}
    assert not start_here(own, place).foreign
    weights = Path(start.folder) / "weights.txt"
    weights.chmod(0o600)
    weights.write_text("9")
    with pytest.raises(UsageError, match=r"mine: .*weights.txt changed"):
        start_here(mine, place)


@pytest.mark.slow
def test_a_file_outside_of_the_bots_folder_must_exist_on_the_machine(
    home: Path, tmp_path: Path
) -> None:
    """A machine without it, or with another one, refuses the bot by the file's name."""
    outside = tmp_path / "shared.bin"
    outside.write_text("shared")
    add(f"exec:{sys.executable} -I -S bot.py honest {outside}")
    bot_bundle = packed(home, "mine")
    place = arrive(bot_bundle, tmp_path / "archives")
    assert start_here(bot_bundle.manifest.bots[0], place)
    outside.unlink()
    with pytest.raises(UsageError, match=rf"mine: .*{outside}"):
        start_here(bot_bundle.manifest.bots[0], place)


@pytest.mark.slow
def test_other_sources_of_a_player_are_refused(home: Path, tmp_path: Path) -> None:
    """The refusal names the version that the machine has."""
    assert run_command(["bots", "list"]) == 0
    with Store.open(str(home / "ladder.db")) as store:
        sync_builtins(store)
    bot = packed(home, "v4").manifest.bots[0]
    other = msgspec.structs.replace(
        bot, content_hash="0" * 16, files={**bot.files, "bots/uct/ucb.py": "0" * 16}
    )
    with pytest.raises(UsageError, match=r"ladder 0\.1\.0 differ there.*ucb\.py"):
        start_here(other, tmp_path)


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an activated environment of this interpreter's version."""
    place = tmp_path / "environment"
    venv.create(place, symlinks=True)
    monkeypatch.setenv("PATH", f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return place


def shipped(spec: str, home: Path, place: Path, *, python: str | None = None) -> ShippedBot:
    """Return a bot whose files have come to another machine."""
    resolved = read_spec(spec, home, python=python)
    shutil.copytree(home, place / "archive" / FILES)
    return ShippedBot(
        1, "mine", spec, resolved.launch, resolved.content_hash, dict(resolved.files), "archive"
    )


@pytest.mark.parametrize("spec", ["python:bot.py:Bot", "kaggle:bot.py", "exec:python3 bot.py"])
def test_a_machine_without_the_environment_takes_its_own_interpreter(
    home: Path, tmp_path: Path, environment: Path, spec: str
) -> None:
    """A bot that was registered in an activated environment must play on machines without it."""
    bot = shipped(spec, home, tmp_path / "there")
    assert str(environment / "bin" / "python3") in bot.files
    shutil.rmtree(environment)
    start = start_here(bot, tmp_path / "there")
    assert Path(start.folder).is_relative_to(tmp_path / "there")
    if not spec.startswith("exec:"):
        assert start.argv[0] == sys.executable


def test_another_version_or_a_chosen_interpreter_is_refused(
    home: Path, tmp_path: Path, environment: Path
) -> None:
    """The refusal must name the versions; an interpreter given by --python is never replaced."""
    there = tmp_path / "there"
    bot = shipped("kaggle:bot.py", home, there)
    other = {name: value.replace("3.", "2.", 1) for name, value in bot.files.items()}
    version = sys.version.split()[0]
    with pytest.raises(UsageError, match=rf"with Python 2\..*{sys.executable} is {version}"):
        start_here(msgspec.structs.replace(bot, files=other), there)
    shutil.rmtree(there)
    chosen = shipped("kaggle:bot.py", home, there, python=str(environment / "bin" / "python3"))
    shutil.rmtree(environment)
    with pytest.raises(UsageError, match=r"mine: the interpreter .*environment"):
        start_here(chosen, there)
