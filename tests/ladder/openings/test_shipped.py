"""The balanced openings that are shipped with the program."""

from pathlib import Path

import pytest

from db.records.runs import SHIPPED_OPENINGS, Conditions, RunKind, division_label
from engine.board_class import parse_board_classes
from ladder.cli.commands.gate import propose_openings
from ladder.cli.run_options import RunOptions
from ladder.errors import UsageError
from ladder.openings.draw import (
    DrawingProgress,
    OpeningConditions,
    WantedValue,
    draw_openings,
)
from ladder.openings.openings_file import SHIPPED, NamedOpenings, shipped_openings
from ladder.runs.pairings import GATE, Pairing
from ladder.runs.settings import RunSettings
from tests.ladder.experiments.gate.test_judge import L, W, after, pair


def of(boards: str) -> NamedOpenings:
    return shipped_openings(parse_board_classes(boards))


@pytest.mark.parametrize(
    ("boards", "number", "digits"),
    [
        ("6x7", 300, "e97eeafe784af5db"),
        ("thu", 240, "c7fec1e0bae6e0f0"),
        ("thu,6x7", 540, "c473fcb6f4a720df"),
    ],
)
def test_shipped_openings_never_change(boards: str, number: int, digits: str) -> None:
    """The hash belongs to divisions of stored games, so that other lines need another name; each
    opening has eight plies and a board of its class."""
    found = of(boards)
    assert found.name == "balanced"
    assert found.set.content_hash.startswith(digits)
    assert len(found.set.openings) == number
    classes = parse_board_classes(boards)
    for opening in found.set.openings:
        assert len(opening.moves) == 8
        assert any(kind.includes(opening.board) for kind in classes)


@pytest.mark.slow
def test_shipped_openings_are_those_of_the_command() -> None:
    """`ladder openings make` with the documented options draws the same openings."""
    conditions = OpeningConditions(
        boards=parse_board_classes("6x7"),
        plies=8,
        count=2,
        wanted=WantedValue.BALANCED,
        seed=1,
        nodes=200_000,
        within=0.1,
    )
    drawn = draw_openings(conditions, DrawingProgress(conditions.count))
    lines = (SHIPPED / "6x7.txt").read_text().splitlines()
    assert [str(opening) for opening in drawn] == lines[:2]


def test_boards_without_shipped_openings_are_refused() -> None:
    """The sentence names the boards that have some and the command that makes others."""
    with pytest.raises(UsageError, match=r"for 6x7 and thu only, not for 5x5: .*openings make"):
        of("thu,5x5")


def settings_of(**options: str | int) -> RunSettings:
    return RunOptions(simulations="10", **options).settings(  # type: ignore[arg-type]
        db="ladder.db",
        kind=RunKind.GATE,
        bots=("v2", "v1"),
        pairing=Pairing(GATE, "v2", ("v1",)),
    )


@pytest.mark.parametrize(
    ("options", "proposes"),
    [
        ({"boards": "standard"}, True),
        ({"boards": "thu,5x5"}, False),
        ({"boards": "thu", "openings": "balanced"}, False),
    ],
)
def test_balanced_openings_are_proposed_where_they_fit(
    options: dict[str, str | int],
    proposes: bool,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A gate of tied pairs on boards with shipped openings proposes them, once a day at most."""
    monkeypatch.setenv("LADDER_CACHE", str(tmp_path))
    settings = settings_of(**options)
    propose_openings(settings, after([pair(n, (W, W)) for n in range(40)]))
    assert capsys.readouterr().err == ""  # nothing to gain
    for is_due in (True, False):
        propose_openings(settings, after([pair(n, (W, L)) for n in range(40)]))
        printed = capsys.readouterr()
        assert ("--openings balanced" in printed.err) is (proposes and is_due)
        assert printed.out == ""


def test_divisions_have_the_names_of_shipped_openings() -> None:
    """The hashes in the labels of divisions are those of the shipped sets."""
    hashes = {of(boards).set.content_hash for boards in ("thu", "6x7", "thu,6x7")}
    assert set(SHIPPED_OPENINGS) == hashes
    shipped = of("thu").set.content_hash
    conditions = Conditions("thu", None, {"simulations": 10}, openings=shipped)
    assert division_label(conditions) == "thu+balanced/10sims"


def test_a_file_of_that_name_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripts that use a file called balanced keep their openings."""
    monkeypatch.chdir(tmp_path)
    options = {"openings": "balanced", "boards": "standard"}
    assert settings_of(**options).openings == of("6x7")
    Path("balanced").write_text("6x7 3342\n")
    read = settings_of(**options).openings
    assert read is not None
    assert [str(each) for each in read.set.openings] == ["6x7 3342"]
