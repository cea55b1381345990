"""RunSettings: what a run is asked to do, and what makes two runs the same."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from db.records.launch import DEFAULT_LIMITS, Limits
from db.records.rules import GameRules
from db.records.runs import division_label
from engine.board_class import parse_board_classes
from engine.opening_set import parse_opening_set
from ladder.cli.parsing import parse_margin, parse_time
from ladder.errors import UsageError
from ladder.harness_version import harness_version, hash_of_sources, sources
from ladder.match.process.sandbox import Confinement
from ladder.openings.openings_file import NamedOpenings
from ladder.runs.budgets import Budgets
from ladder.runs.pairings import RANDOM, ROUND_ROBIN, Pairing
from ladder.runs.settings import RunSettings, identity_hash
from tests.support.unconfined import UNCONFINED

HASHES = {"v1": "x", "v2": "y"}
BASE = RunSettings(
    bots=("v1", "v2"),
    boards=parse_board_classes("thu"),
    budgets=Budgets({"time_ms": 100}),
    pairing=Pairing(RANDOM),
    confinement=UNCONFINED,
)
BY_WORK = {"budgets": Budgets({"simulations": 5})}
ONE_BOARD = {"boards": parse_board_classes("6x7")}


def book(text: str, name: str) -> dict[str, object]:
    return {"openings": NamedOpenings(parse_opening_set(text), name)}


def confined(limits: Limits = DEFAULT_LIMITS, *sandbox: str) -> dict[str, object]:
    return {"confinement": Confinement(limits=limits, sandbox=sandbox)}


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("100ms", 100), ("2s", 2000), ("0.5s", 500), ("40", 40), (" 1S ", 1000), ("1ms", 1)],
)
def test_times_are_read(text: str, milliseconds: int) -> None:
    """A time per move must be read in milliseconds or seconds."""
    assert parse_time(text) == milliseconds


@pytest.mark.parametrize("text", ["", "-5ms", "0ms", "fast", "1.5ms", "2h", "nan", "1e9s", "4000s"])
def test_other_times_are_refused(text: str) -> None:
    """The sentence must name the option."""
    with pytest.raises(UsageError, match="--time"):
        parse_time(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"games": 10, "concurrency": 1}, {"seconds": 60.0, "concurrency": 2}),
        (ONE_BOARD, {**ONE_BOARD, "opening_plies": 4}),
        (book("6x7 01", "one"), book("# a\n6x7 01", "two")),
        ({}, confined(Limits())),
        ({}, {"watchdog_s": 61.0}),
        (BY_WORK, {**BY_WORK, "margin_ms": 51}),
    ],
    ids=["length and workers", "default opening", "file of openings", "limits", "time", "work"],
)
def test_what_changes_no_game_does_not_identify_a_run(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    """A longer run with more workers resumes the shorter one, in the same division."""
    a, b = replace(BASE, **one), replace(BASE, **other)
    assert identity_hash(a.identity(HASHES)) == identity_hash(b.identity(HASHES))
    assert a.division() == b.division()


@pytest.mark.parametrize(
    ("base", "changes", "same_division"),
    [
        ({}, ONE_BOARD, False),
        ({}, {"budgets": Budgets({"time_ms": 101})}, False),
        ({}, {"opening_plies": 2}, False),
        ({}, {"rules": GameRules(adjudicate=12)}, False),
        (book("6x7 01", "one"), book("6x7 02", "one"), False),
        ({}, {"pairing": Pairing(ROUND_ROBIN)}, True),
        ({}, {"rated": False}, True),
        ({}, confined(Limits(memory_mb=50)), True),
        ({}, confined(DEFAULT_LIMITS, "env"), True),
        ({}, {"margin_ms": 51}, True),
        (BY_WORK, {**BY_WORK, "watchdog_s": 61.0}, True),
    ],
)
def test_other_conditions_are_another_run(
    base: dict[str, Any], changes: dict[str, Any], same_division: bool
) -> None:
    """So are limits, margin and watchdog, which can turn a move into a forfeit."""
    one, other = replace(BASE, **base), replace(BASE, **changes)
    assert identity_hash(one.identity(HASHES)) != identity_hash(other.identity(HASHES))
    assert (one.division() == other.division()) == same_division


def test_bots_and_seed_identify_a_run() -> None:
    """Other content of a bot is another run, another seed another stream."""
    base = BASE.identity(HASHES)
    assert identity_hash(base) != identity_hash(BASE.identity({**HASHES, "v2": "z"}))
    assert identity_hash(base, 1) != identity_hash(base, 2)
    limited = replace(BASE, **confined(Limits(memory_mb=50), "env")).identity(HASHES)
    assert limited == {**base, "limits": {"memory_mb": 50}, "sandbox": ["env"]}


def test_another_default_opening_makes_another_division_and_run() -> None:
    """The first default must stay unwritten, as in stored runs and divisions."""
    both = replace(BASE, boards=parse_board_classes("thu,6x7"))
    other = replace(both, fixed_opening=6)
    assert both.division() == msgspec.structs.replace(other.division(), fixed_opening=4)
    assert division_label(other.division()).startswith("thu,6x7+auto6/")
    assert other.identity(HASHES) == {**both.identity(HASHES), "fixed_opening": 6}
    assert replace(other, **ONE_BOARD).division().opening_plies == 6


def test_the_harness_is_on_record_with_a_run() -> None:
    """Its sources are no player's identity, so a run must store which they were."""
    version = harness_version()
    assert set(version) == {"ladder", "python", "numba", "sources", "players", "processor"}
    files = list(sources())
    assert version["sources"] == hash_of_sources(files)
    assert version["sources"] != hash_of_sources(files[:-1])


def test_every_millisecond_can_be_written_in_seconds() -> None:
    """Decimals are exact: no whole number of milliseconds is refused, and no fraction is taken."""
    for milliseconds in range(1, 20_000, 7):
        text = f"{milliseconds // 1000}.{milliseconds % 1000:03}s"
        assert parse_time(text) == parse_margin(text) == milliseconds
    assert parse_time("1.001s") == parse_margin("1.001s") == 1001
    for parse in (parse_time, parse_margin):
        with pytest.raises(UsageError):
            parse("1.0010001s")
