"""Bots that travel: packed in one folder, resolved in another, refused where something differs."""

import shutil
import sys
from pathlib import Path

import msgspec
import pytest

from db.records.launch import DEFAULT_LIMITS
from db.store import Store
from ladder.cli.main import run_command
from ladder.errors import UsageError
from ladder.match.registry.builtins import sync_builtins
from ladder.runs.cluster.archive import unpack
from ladder.runs.cluster.luggage import Luggage, pack_bots
from ladder.runs.cluster.travel import start_here

BOT = Path(__file__).resolve().parents[3] / "fake_bots" / "bot.py"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a bot of two files, which is the current one."""
    folder = tmp_path / "home"
    folder.mkdir()
    shutil.copy(BOT, folder / "bot.py")
    (folder / "weights.txt").write_text("3 4 5")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("LADDER_DB", str(folder / "ladder.db"))
    return folder


def add(*words: str) -> None:
    assert run_command(["bots", "add", "mine", *words]) == 0


def packed(home: Path, *names: str) -> Luggage:
    with Store.open(str(home / "ladder.db")) as store:
        bots = [store.bots.get(name) for name in names]
        return pack_bots(bots, limits=DEFAULT_LIMITS, sandbox=(), pin=True)


def arrive(luggage: Luggage, place: Path) -> Path:
    for name, archive in luggage.archives.items():
        unpack(archive, place / name)
    return place


def test_a_bot_plays_from_the_files_that_came(home: Path, tmp_path: Path) -> None:
    """Its start lies in the machine's own folder; a file that was changed there is noticed."""
    add(f"exec:{sys.executable} -I -S bot.py honest", "--files", "*.txt")
    luggage = packed(home, "mine", "random")
    (home / "bot.py").unlink()
    place = arrive(luggage, tmp_path / "archives")
    mine, own = luggage.kit.bots
    start = start_here(mine, place)
    assert Path(start.folder).is_relative_to(place)
    assert {Path(each.path).name for each in start.content} >= {"bot.py", "weights.txt"}
    assert not start_here(own, place).foreign
    weights = Path(start.folder) / "weights.txt"
    weights.chmod(0o600)
    weights.write_text("9")
    with pytest.raises(UsageError, match=r"mine: .*weights.txt changed"):
        start_here(mine, place)


def test_a_file_outside_of_its_folder_must_be_there(home: Path, tmp_path: Path) -> None:
    """A machine without it, or with another one, refuses the bot by the file's name."""
    outside = tmp_path / "shared.bin"
    outside.write_text("shared")
    add(f"exec:{sys.executable} -I -S bot.py honest {outside}")
    luggage = packed(home, "mine")
    place = arrive(luggage, tmp_path / "archives")
    assert start_here(luggage.kit.bots[0], place)
    outside.unlink()
    with pytest.raises(UsageError, match=rf"mine: .*{outside}"):
        start_here(luggage.kit.bots[0], place)


def test_other_sources_of_a_player_are_refused(home: Path, tmp_path: Path) -> None:
    """The refusal names the version that the machine has."""
    assert run_command(["bots", "list"]) == 0
    with Store.open(str(home / "ladder.db")) as store:
        sync_builtins(store)
    bot = packed(home, "v4").kit.bots[0]
    other = msgspec.structs.replace(
        bot, content_hash="0" * 16, files={**bot.files, "bots/uct/ucb.py": "0" * 16}
    )
    with pytest.raises(UsageError, match=r"ladder 0\.1\.0 there has other sources.*ucb\.py"):
        start_here(other, tmp_path)
