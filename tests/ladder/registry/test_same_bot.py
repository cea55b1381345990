"""Which changes of a folder make another bot than the stored one, and their words."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from db.records.launch import Launch, Origin
from ladder.registry.same_bot import compare_folder
from ladder.registry.specs.archive import describe
from ladder.registry.specs.archive_diff import diff_files
from ladder.registry.specs.folder_files import find_folder_files
from ladder.registry.specs.spec import BotSource, pack_bot, read_spec
from ladder.registry.stored_trial import MOST_FOLDERS, watched

FILES = {"bot.py": "import rules\n", "rules.py": "X = 1\n", "book.bin": "1"}
USED = ("bot.py", "rules.py")
BOOK = "book.bin changed"
Edit = Callable[[Path], object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a bot that has not used its book."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def text(name: str) -> Edit:
    """Return an edit that writes a file."""
    return lambda folder: (folder / name).write_text("2")


def gone(name: str) -> Edit:
    """Return an edit that deletes a file."""
    return lambda folder: (folder / name).unlink()


@pytest.mark.parametrize(
    ("edits", "used", "words", "same", "same_to_a_gate"),
    [
        ([], USED, "", True, True),
        ([text("notes.txt")], USED, "notes.txt is new and not used", True, True),
        ([text("notes.txt")], None, "notes.txt is new and not used", True, True),
        ([text("a.txt"), text("b.txt")], USED, "a.txt, b.txt are new and not used", True, True),
        ([text("bot.py")], USED, "bot.py changed", False, False),
        ([gone("rules.py")], USED, "rules.py gone", False, False),
        (
            [text("bot.py"), text("rules.py"), gone("book.bin")],
            USED,
            "bot.py, rules.py changed; book.bin gone and not used",
            False,
            False,
        ),
        ([text("book.bin")], USED, f"{BOOK} and not used", True, False),
        ([gone("book.bin")], USED, "book.bin gone and not used", True, False),
        ([text("book.bin")], None, BOOK, False, False),
        (
            [text("bot.py"), text("notes.txt")],
            USED,
            "bot.py changed; notes.txt is new and not used",
            False,
            False,
        ),
        ([text("out.json")], USED, "", True, True),
        ([text("ladder.toml"), text("ladder.db-wal")], USED, "", True, True),
        ([lambda folder: (folder / "bot.py").touch()], USED, "", True, True),
    ],
)
def test_what_makes_another_bot(
    folder: Path,
    edits: list[Edit],
    used: tuple[str, ...] | None,
    words: str,
    same: bool,
    same_to_a_gate: bool,
) -> None:
    """New files never do, changed ones that were used always, others only to a gate."""
    manifest = describe(folder, [folder / name for name in sorted(FILES)])
    launch = Launch(("bot.py",), str(folder), archive=manifest.sha256, used=used)
    for edit in edits:
        edit(folder)
    outputs = (folder / "out.json",)
    found = read_spec(BotSource("exec:python3 bot.py", folder, outputs=outputs)).paths
    changes = compare_folder(launch, manifest, describe(folder, found).files, outputs)
    assert changes is not None
    assert changes.words == words
    assert (changes.is_same(), changes.is_same(is_strict=True)) == (same, same_to_a_gate)


def test_an_output_that_was_stored_is_ignored(folder: Path) -> None:
    """Yesterday's report belongs to the files of an old version, and this command rewrites it."""
    manifest = describe(folder, [folder / name for name in sorted(FILES)])
    launch = Launch(("bot.py",), str(folder), archive=manifest.sha256)
    (folder / "book.bin").write_text("rewritten")
    changes = compare_folder(launch, manifest, outputs=[folder / "book.bin"])
    assert changes is not None
    assert not changes.changed


def test_what_cannot_be_compared(folder: Path) -> None:
    """Neither a bot from git nor one whose folder is gone has an answer."""
    manifest = describe(folder, [folder / name for name in sorted(FILES)])
    launch = Launch(("bot.py",), str(folder), archive=manifest.sha256)
    origin = Origin(revision="main", commit="c", tree="t", inner="", build="")
    assert compare_folder(msgspec.structs.replace(launch, origin=origin), manifest) is None
    assert compare_folder(msgspec.structs.replace(launch, folder="/gone"), manifest) is None
    assert compare_folder(msgspec.structs.replace(launch, archive=None), manifest) is None


def test_only_what_is_opened_in_a_watched_folder_is_reported(folder: Path) -> None:
    """Files of other folders are not, and nothing is known of a folder with too many in it."""
    (folder / "inner").mkdir()
    (folder / "inner" / "weights").touch()
    with watched(folder) as watch:
        (folder / "inner" / "weights").read_bytes()
        list(folder.iterdir())
        Path(__file__).read_bytes()
    assert watch.opened == ("inner/weights",)
    for number in range(MOST_FOLDERS):
        (folder / "inner" / str(number)).mkdir()
    with watched(folder) as watch:
        (folder / "bot.py").read_bytes()
    assert watch.opened is None


def test_the_program_of_the_ladder_is_no_bot(folder: Path) -> None:
    """A checkout beside a bot is not packed, and neither is the cache."""
    for name in ("ladder-main/bots/host.py", "ladder-main/engine/board.py"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).touch()
    found = find_folder_files(folder, 1 << 20)
    assert found is not None
    assert {path.name for path in found} == FILES.keys()
    assert find_folder_files(folder / "ladder-main", 1 << 20) is None


def test_files_that_a_specification_names_are_used(folder: Path) -> None:
    """The entry file, what it imports, and what the command or patterns name."""
    (folder / "book.txt").touch()
    plain = BotSource("exec:python3 bot.py", folder)
    assert set(read_spec(plain).named) == {"bot.py", "rules.py"}
    named = replace(plain, spec="exec:python3 bot.py --book=book.bin")
    assert set(read_spec(named).named) == {"bot.py", "rules.py", "book.bin"}
    chosen = replace(plain, patterns=("*.txt",))
    assert set(read_spec(chosen).named) == {"bot.py", "rules.py", "book.txt"}


def test_files_are_compared_line_by_line(folder: Path) -> None:
    """Texts as a unified diff, others by size and hash; the note counts lines."""
    (folder / "net.bin").write_bytes(b"\0" * 8)
    before = pack_bot(BotSource("exec:python3 bot.py", folder)).packed
    (folder / "bot.py").write_text("import rules\nimport sys\n+1")
    (folder / "net.bin").write_bytes(b"\0" * 9)
    (folder / "rules.py").unlink()
    (folder / "empty").touch()
    after = pack_bot(BotSource("exec:python3 bot.py", folder)).packed
    assert before is not None
    assert after is not None
    found = {each.path: each for each in diff_files(before, after)}
    assert [each.summary for each in found.values()] == [
        "bot.py +2",
        "empty new",
        "net.bin changed",
        "rules.py gone",
    ]
    shown = ["--- a/bot.py", "+++ b/bot.py", "@@ -1 +1,3 @@", " import rules", "+import sys", "++1"]
    assert found["bot.py"].text == [*shown, "\\ No newline at end of file"]
    assert found["net.bin"].text[0].startswith("net.bin: 8 bytes, ")
    assert found["rules.py"].text[1] == "+++ /dev/null"
    assert diff_files(after, after) == []
