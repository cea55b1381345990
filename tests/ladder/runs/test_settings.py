"""RunSettings: what a run is asked to do, and what makes two runs the same."""

from dataclasses import replace

import pytest

from db.records.launch import DEFAULT_LIMITS, Limits
from db.records.runs import division_label
from engine.board import parse_board_classes
from engine.opening_set import parse_opening_set
from ladder.cli.parsing import (
    parse_time,
)
from ladder.errors import UsageError
from ladder.harness_version import harness_version, hash_of_sources, sources
from ladder.match.openings.openings_file import NamedOpenings
from ladder.match.process.sandbox import Confinement
from ladder.runs.budgets import Budgets
from ladder.runs.pairings import RANDOM, ROUND_ROBIN, Pairing
from ladder.runs.settings import (
    RunSettings,
    identity_hash,
)
from tests.support.unconfined import UNCONFINED


def settings(**changes: object) -> RunSettings:
    values: dict[str, object] = {
        "bots": ("v1", "v2"),
        "boards": parse_board_classes("thu"),
        "budgets": Budgets({"time_ms": 100}),
        "pairing": Pairing(RANDOM),
        "confinement": UNCONFINED,
    }
    return RunSettings(**{**values, **changes})  # type: ignore[arg-type]


def confined(*, limits: Limits = DEFAULT_LIMITS, sandbox: tuple[str, ...] = ()) -> RunSettings:
    return settings(confinement=Confinement(limits=limits, sandbox=sandbox))


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


def test_each_bot_gets_the_first_budget_that_it_knows() -> None:
    """Work budgets must be served in their order, and players that do not search take any."""
    budgets = Budgets({"simulations": 400, "nodes": 9000})
    assert budgets.for_bot("v1", ("time", "simulations")).simulations == 400
    assert budgets.for_bot("ab1", ("time", "depth", "nodes")).nodes == 9000
    assert budgets.for_bot("random", ("any",)).simulations == 400


def test_games_hours_and_concurrency_do_not_identify_a_run() -> None:
    """A longer run with more workers must resume the shorter one."""
    hashes = {"v1": "x", "v2": "y"}
    short = settings(games=10, concurrency=1).identity(hashes)
    long = settings(seconds=60.0, concurrency=2).identity(hashes)
    assert identity_hash(short) == identity_hash(long)


@pytest.mark.parametrize(
    "changes",
    [
        {"boards": parse_board_classes("6x7")},
        {"budgets": Budgets({"time_ms": 101})},
        {"opening_plies": 2},
        {"openings": NamedOpenings(parse_opening_set("6x7 01"), "one.txt")},
        {"pairing": Pairing(ROUND_ROBIN)},
        {"rated": False},
        {"adjudicate": 12},
    ],
)
def test_other_conditions_are_another_run(changes: dict[str, object]) -> None:
    """Boards, budget, openings, pairing and rating must make another run."""
    hashes = {"v1": "x", "v2": "y"}
    base = settings().identity(hashes)
    assert identity_hash(base) != identity_hash(settings(**changes).identity(hashes))
    assert identity_hash(base) != identity_hash(settings().identity({"v1": "x", "v2": "z"}))
    assert identity_hash(base, 1) != identity_hash(base, 2)


def test_openings_are_identified_by_their_content_and_not_by_their_file() -> None:
    """With a renamed file the run continues in its division; with another line it does not."""
    hashes = {"v1": "x", "v2": "y"}
    one, renamed, other = (
        settings(openings=NamedOpenings(parse_opening_set(text), name))
        for text, name in (("6x7 01", "one"), ("# a\n6x7 01", "two"), ("6x7 02", "one"))
    )
    assert one.identity(hashes) == renamed.identity(hashes)
    assert one.division() == renamed.division()
    assert one.identity(hashes) != other.identity(hashes)
    assert one.division() != other.division()
    assert division_label(one.division()).startswith("thu+openings:")


def test_the_default_opening_written_out_is_the_same_run() -> None:
    """Asking for the default's value must not start another run."""
    boards = parse_board_classes("6x7")
    hashes = {"v1": "x", "v2": "y"}
    implied = settings(boards=boards).identity(hashes)
    written = settings(boards=boards, opening_plies=4).identity(hashes)
    assert implied == written


def test_limits_identify_a_run_where_they_are_not_the_default() -> None:
    """A run is not resumed under other limits; the defaults leave its identity unchanged."""
    plain = settings().identity({"v1": "a", "v2": "b"})
    assert "limits" not in plain
    assert confined(limits=Limits()).identity({"v1": "a", "v2": "b"}) == plain
    other = confined(limits=Limits(memory_mb=50), sandbox=("env",)).identity({"v1": "a", "v2": "b"})
    assert other == {**plain, "limits": {"memory_mb": 50}, "sandbox": ["env"]}
    assert confined(limits=Limits(memory_mb=50)).division() == settings().division()


def test_margin_and_watchdog_identify_a_run_whose_budget_brings_them_into_play() -> None:
    """Each can turn a move into a forfeit, under its kind of budget and no other."""
    hashes = {"v1": "a", "v2": "b"}
    by_time, by_work = Budgets({"time_ms": 100}), Budgets({"simulations": 5})
    for budgets, counts, other in (
        (by_time, {"margin_ms": 51}, {"watchdog_s": 61.0}),
        (by_work, {"watchdog_s": 61.0}, {"margin_ms": 51}),
    ):
        plain = settings(budgets=budgets).identity(hashes)
        assert not {"margin_ms", "watchdog_s"}.intersection(plain)
        assert settings(budgets=budgets, **counts).identity(hashes) == {**plain, **counts}
        assert settings(budgets=budgets, **other).identity(hashes) == plain
        assert (
            settings(budgets=budgets, **counts).division() == settings(budgets=budgets).division()
        )


def test_the_harness_is_on_record_with_a_run() -> None:
    """Its sources are no player's identity, so a run must store which they were."""
    version = harness_version()
    assert set(version) == {"ladder", "python", "numba", "sources", "players", "processor"}
    files = list(sources())
    assert version["sources"] == hash_of_sources(files)
    assert version["sources"] != hash_of_sources(files[:-1])


def test_another_default_opening_makes_another_division_and_run() -> None:
    """The first default must stay unwritten, as in stored runs and divisions."""
    boards = parse_board_classes("thu,6x7")
    first, other = (settings(boards=boards, fixed_opening=plies) for plies in (4, 6))
    assert first.division() == settings(boards=boards).division()
    assert first.division() == replace(other.division(), fixed_opening=4)
    assert division_label(other.division()).startswith("thu,6x7+auto6/")
    hashes = {"v1": "one", "v2": "two"}
    assert other.identity(hashes) == {**first.identity(hashes), "fixed_opening": 6}
    assert settings(boards=boards[1:], fixed_opening=6).division().opening_plies == 6
