"""Course strategies: small ones of our own, compiled and hosted in real processes."""

import shlex
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from bots.errors import SpecError
from db.records.launch import Restart
from engine.result import Termination
from ladder.errors import UsageError
from ladder.registry.specs.spec import BotSource, read_spec
from ladder.registry.trial import try_out
from reports.bots import found_text
from tests.end_to_end.conftest import ROOT
from tests.support.hosted import (
    FAKE_BOTS,
    compiled,
    entrant,
    games_of,
    linked_as_c,
    play,
    refusal,
    tried,
)
from tests.support.unconfined import UNCONFINED

BOARDS = ("10x11@3,4", "9x9@0,3", "9x12@8,3", "12x9@5,3", "6x7")


@pytest.mark.slow
def test_a_correct_strategy_gets_the_board_in_the_format_of_the_course(tmp_path: Path) -> None:
    """Stones, tops, last move and forbidden cell must agree, wherever the cell lies."""
    strategy = entrant(compiled(tmp_path), tmp_path)
    assert strategy.start.address_mb is not None
    for board in BOARDS:
        games = games_of(play(strategy, board))
        assert [game.detail for game in games] == ["", ""], board


@pytest.mark.slow
def test_a_strategy_linked_without_the_runtime_library_plays(tmp_path: Path) -> None:
    """The course's samples leave C++'s library out, as its match program brings that."""
    spec = linked_as_c(tmp_path, "USES_RUNTIME")
    needed = subprocess.run(
        ["readelf", "-d", tmp_path / "strategy.so"], capture_output=True, text=True, check=True
    )
    assert "NEEDED" in needed.stdout
    assert "libstdc++" not in needed.stdout
    games = games_of(play(entrant(spec, tmp_path), "10x11@3,4"))
    assert [game.detail for game in games] == ["", ""]


@pytest.mark.slow
def test_a_missing_symbol_is_named_with_what_helps(tmp_path: Path) -> None:
    """The author must read which one, how to list all, and how to link it."""
    sentence = refusal(compiled(tmp_path, "MISSING_HELPER"), tmp_path)
    assert "_Z20helper_of_the_coursei is in none of the libraries that it names" in sentence
    assert "`ldd -r strategy.so`" in sentence
    assert "-lstdc++" in sentence


def test_a_missing_library_is_named_with_what_helps(tmp_path: Path) -> None:
    """A strategy whose library is missing is explained, too."""
    (tmp_path / "other.c").write_text("int other(void) { return 1; }\n")
    words = ["gcc", "-shared", "-fPIC", "-o", "libother.so", "other.c"]
    subprocess.run(words, cwd=tmp_path, check=True)
    (tmp_path / "main.c").write_text("int other(void);\nint getPoint(void) { return other(); }\n")
    words = ["gcc", "-shared", "-fPIC", "-o", "strategy.so", "main.c", "-L.", "-lother"]
    subprocess.run(words, cwd=tmp_path, check=True)
    sentence = refusal("thu:strategy.so", tmp_path)
    assert "it needs libother.so, which is not on this system (`ldd strategy.so`" in sentence


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "where", "signal"),
    [
        ("SEGFAULT_GET", "in_get_point", "SIGSEGV"),
        ("EATS_MEMORY", "bad_alloc", "SIGABRT"),
    ],
)
def test_a_crash_names_its_function(tmp_path: Path, mode: str, where: str, signal: str) -> None:
    """The sentence must say which signal ended it, and in which of the two functions."""
    sentence = refusal(compiled(tmp_path, mode), tmp_path)
    assert signal in sentence
    assert where in sentence


@pytest.mark.slow
def test_a_missing_function_is_named(tmp_path: Path) -> None:
    """A library without clearPoint must be refused by the function's name."""
    sentence = refusal(compiled(tmp_path, "NO_CLEAR"), tmp_path)
    assert "no function clearPoint" in sentence
    assert "getPoint" not in sentence.replace("strategy.so", "")


@pytest.mark.slow
def test_a_forgotten_extern_c_is_explained(tmp_path: Path) -> None:
    """Functions that exist under their C++ names must lead to the advice to export them."""
    sentence = refusal(compiled(tmp_path, "NO_EXTERN_C"), tmp_path)
    assert 'put extern "C" before it' in sentence


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("ONE_COLUMN", "getPoint returned (0, 4), but column 4 is full: legal rows were"),
        ("FLOATS", "a stone in column 10 comes to rest on row 9"),
    ],
)
def test_an_illegal_point_is_explained(tmp_path: Path, mode: str, expected: str) -> None:
    """The forfeit must be for an illegal move, and say what would have been legal."""
    # On six rows the single column is full soon, and random play cannot end the game before.
    board = "4x6" if mode == "ONE_COLUMN" else "10x11@3,4"
    games = games_of(play(entrant(compiled(tmp_path, mode), tmp_path), board, pairs=4))
    illegal = [game for game in games if game.termination is Termination.ILLEGAL_MOVE]
    assert illegal
    assert all(expected in game.detail for game in illegal)


@pytest.mark.slow
def test_static_memory_that_is_not_used_does_no_harm(tmp_path: Path) -> None:
    """4 GB of static arrays must load, and without room for them their size be named."""
    spec = compiled(tmp_path, "STATIC_MEMORY")
    assert tried(spec, tmp_path).boards is None
    launch = msgspec.structs.replace(read_spec(BotSource(spec, tmp_path)).launch, address_mb=1536)
    with pytest.raises(UsageError, match=r"static memory take 4,096 MiB of address space"):
        try_out(launch, (), UNCONFINED)


@pytest.mark.slow
def test_a_source_of_the_windows_years_compiles_by_the_line_of_the_page(tmp_path: Path) -> None:
    """The command of docs/course.md and the folder of the examples must suffice."""
    shutil.copytree(ROOT / "examples" / "windows", tmp_path / "windows")
    shutil.copy(FAKE_BOTS / "windows_strategy.cpp", tmp_path / "mine.cpp")
    page = (ROOT / "docs" / "course.md").read_text()
    line = next(
        each for each in page.splitlines() if each.startswith("g++ ") and "-isystem" in each
    )
    subprocess.run(shlex.split(line), cwd=tmp_path, check=True)
    assert tried("thu:mine.so", tmp_path).boards is None


@pytest.mark.slow
def test_a_null_pointer_is_a_crash_with_a_sentence(tmp_path: Path) -> None:
    """Nothing must be read through it."""
    assert "returned a null pointer" in refusal(compiled(tmp_path, "NULL_POINT"), tmp_path)


@pytest.mark.slow
def test_a_limit_compiled_into_a_strategy_is_its_least_time(tmp_path: Path) -> None:
    """A strategy with its limit compiled in must be found to need that long."""
    found = tried(compiled(tmp_path, "SLEEPS"), tmp_path)
    assert found.min_time_ms is not None
    assert 160 <= found.min_time_ms == int(max(game.slowest_ms() for game in found.trials))
    assert f"needs {found.min_time_ms} ms a move" in found_text(found)[-1]


@pytest.mark.slow
def test_a_strategy_that_relies_on_the_forbidden_cell_plays_only_boards_with_one(
    tmp_path: Path,
) -> None:
    """Failing on a board of another game must narrow its boards, not keep it out."""
    found = tried(compiled(tmp_path, "NEEDS_FORBIDDEN"), tmp_path)
    assert found.boards == ("forbidden-only",)
    assert "SIGABRT" in found.left_out


@pytest.mark.slow
def test_static_state_does_not_leak_into_the_next_game(tmp_path: Path) -> None:
    """By default each game must have a process of its own; without that it would forfeit."""
    strategy = entrant(compiled(tmp_path, "STATIC_STATE"), tmp_path)
    assert [game.detail for game in games_of(play(strategy, "10x11@3,4"))] == ["", ""]
    kept = entrant("thu:./strategy.so", tmp_path, restart=Restart.NEVER)
    details = [game.detail for game in games_of(play(kept, "10x11@3,4"))]
    assert any("returned (-1, -1)" in detail for detail in details)


def test_a_source_or_missing_file_is_refused_with_the_command_that_compiles(tmp_path: Path) -> None:
    """A source file or a missing file must be refused before anything is started."""
    (tmp_path / "Strategy.cpp").write_text("int main() {}")
    with pytest.raises(SpecError, match=r"g\+\+ -O2 -shared"):
        read_spec(BotSource("thu:Strategy.cpp", tmp_path))
    with pytest.raises(SpecError, match=r"there is no file strategy\.so"):
        read_spec(BotSource("thu:strategy.so", tmp_path))
