"""Schedules: pure functions of the seed and the pair's number."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from db.records.pairs import PlannedPair
from engine.board_class import parse_board_classes
from engine.opening_set import OpeningSet, parse_opening_set
from ladder.errors import UsageError
from ladder.openings.openings_file import NamedOpenings
from ladder.runs.pairings import (
    GATE,
    GAUNTLET,
    PAIRINGS,
    RANDOM,
    ROUND_ROBIN,
    Pairing,
    parse_pairing,
)
from ladder.runs.schedule import Schedule, refuse_long_openings, refuse_other_boards
from tests.ladder.runs.conftest import SETTINGS
from tests.support.data.pairs import bot_row


def schedule(
    bots: str = "abcd",
    boards: str = "thu",
    pairing: Pairing | None = None,
    plays: Mapping[str, tuple[str, ...]] | None = None,
    openings: OpeningSet | None = None,
    opening_plies: int | None = None,
) -> Schedule:
    settings = replace(
        SETTINGS,
        boards=parse_board_classes(boards),
        pairing=pairing or Pairing(RANDOM),
        openings=None if openings is None else NamedOpenings(openings, "book"),
        opening_plies=opening_plies,
    )
    rows = [bot_row(key, name, (plays or {}).get(name)) for key, name in enumerate(bots, start=1)]
    return Schedule(settings, rows, seed=7)


def names(pair: PlannedPair) -> tuple[str, str]:
    """Return A and B."""
    return "-abcd"[pair.a_revision], "-abcd"[pair.b_revision]


def test_random_pairs_are_different_bots_and_even() -> None:
    """Every ordered pair of bots must come up about equally often."""
    counts = Counter(names(m) for m in map(schedule().pair, range(2400)))
    assert len(counts) == 12
    assert all(140 <= count <= 260 for count in counts.values()), counts


def test_round_robin_meets_everybody_once_a_lap_on_every_board() -> None:
    """Each lap must hold every combination once on each board, colours turned in the next lap."""
    robin = schedule(pairing=Pairing(ROUND_ROBIN), boards="6x7,10x11@3,4")
    lap = 6 * 2
    seen = Counter((frozenset(names(m)), m.board_class) for m in map(robin.pair, range(lap)))
    assert set(seen.values()) == {1}
    assert len(seen) == lap
    first = {names(m) for m in map(robin.pair, range(lap))}
    second = {names(m)[::-1] for m in map(robin.pair, range(lap, 2 * lap))}
    assert first == second


def test_a_gauntlet_lets_one_bot_meet_all_others() -> None:
    """The named bot must be in every pair, the others equally often."""
    gauntlet = schedule(pairing=Pairing(GAUNTLET, "b"))
    others = Counter(({*names(m)} - {"b"}).pop() for m in map(gauntlet.pair, range(30)))
    assert others == {"a": 10, "c": 10, "d": 10}


def test_pairings_are_read_and_others_refused() -> None:
    """The words of --pairing give their schedules; the refusal lists what is allowed."""
    assert parse_pairing("round-robin") == Pairing(ROUND_ROBIN)
    assert parse_pairing("gauntlet:v3") == Pairing(GAUNTLET, "v3")
    usages = [rule.usage for rule in PAIRINGS.values()]
    for usage in usages:
        assert str(parse_pairing(usage)) == usage
    for text in ("", "rando", "gauntlet", "random:x", "gauntlet:", "swiss:a"):
        with pytest.raises(
            UsageError, match=f"write {', '.join(usages[:-1])} or {usages[-1]}, got"
        ):
            parse_pairing(text)


BOOK = parse_opening_set("".join(f"6x7 {a}{b}\n" for a in range(3) for b in range(3)))
TWO_BOARDS = parse_opening_set("6x7 01\n9x9@1,1 23\n")
NO_HOLES = dict.fromkeys(("a", "b", "d"), ("forbidden-only",))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"bots": "a"}, "at least two different bots"),
        ({"pairing": Pairing(GAUNTLET, "z")}, "is not among the bots"),
        ({"boards": "6x7,10x11@3,4", "plays": {**NO_HOLES, "c": ("any",)}}, "c has no opponent"),
        (
            {"boards": "thu,6x7", "openings": TWO_BOARDS, "plays": {"c": ("6x7",)}},
            "c does not play 9x9@1,1",
        ),
    ],
)
def test_impossible_schedules_are_refused(changes: dict[str, Any], sentence: str) -> None:
    """A run in which a bot could never play must not start."""
    with pytest.raises(UsageError, match=sentence):
        schedule(**changes)


def test_pairs_respect_the_boards_that_bots_play() -> None:
    """A bot without forbidden cells must meet everybody, and only on boards that it plays."""
    plays = {"c": ("any",)}
    boards = "6x7,10x11@3,4,thu"
    for pairing in (Pairing(RANDOM), Pairing(ROUND_ROBIN)):
        pairs = [schedule(boards=boards, plays=plays, pairing=pairing).pair(n) for n in range(240)]
        of_c = [m for m in pairs if "c" in names(m)]
        assert {m.board_class for m in of_c} == {"6x7"}
        assert {name for m in of_c for name in names(m)} == {"a", "b", "c", "d"}
        assert {m.board_class for m in pairs} == {"6x7", "10x11@3,4", "thu"}


@pytest.mark.parametrize(("boards", "plies"), [("thu", 50), ("6x7", 41), ("9x9,6x7", 41)])
def test_openings_too_long_for_the_smallest_board_are_refused(boards: str, plies: int) -> None:
    """Some of them could be drawn, and a run would end at the first that cannot."""
    classes = parse_board_classes(boards)
    with pytest.raises(UsageError, match=f"opening plies: no opening of {plies} plies"):
        refuse_long_openings(plies, classes)


@pytest.mark.slow
def test_long_openings_that_pass_the_check_never_fail_later() -> None:
    """The longest that are allowed on the boards of `thu`, on many boards of a stream."""
    refuse_long_openings(37, parse_board_classes("thu"))
    stream = schedule(opening_plies=37)
    assert all(len(stream.pair(number).opening) == 37 for number in range(60))


def told(pair: PlannedPair) -> tuple[str, tuple[int, ...]]:
    return pair.board, pair.opening


@pytest.mark.parametrize("kind", ["random", "round-robin", "gauntlet:b"])
def test_no_opening_comes_twice_before_all_were_played(kind: str) -> None:
    """Every lap over the set must hold each of its openings once, in an order of its own."""
    stream = schedule(boards="6x7", openings=BOOK, pairing=parse_pairing(kind))
    laps = [
        [told(stream.pair(lap * len(BOOK) + place)) for place in range(len(BOOK))]
        for lap in range(4)
    ]
    everything = sorted(("6x7", opening.moves) for opening in BOOK.openings)
    assert all(sorted(lap) == everything for lap in laps)
    assert len({tuple(lap) for lap in laps}) == 4


def test_an_opening_brings_its_board() -> None:
    """The pair is played on the opening's board and counts for the class that holds it."""
    known = parse_opening_set("6x7 01\n9x9@1,1 23\n10x11@3,4 5\n")
    stream = schedule(boards="thu,6x7,9x9@1,1", openings=known)
    pairs = [stream.pair(number) for number in range(3)]
    assert {(pair.board, pair.board_class, pair.opening) for pair in pairs} == {
        ("6x7", "6x7", (0, 1)),
        ("9x9@1,1", "9x9@1,1", (2, 3)),
        ("10x11@3,4", "thu", (5,)),
    }


def test_a_gate_with_openings_still_takes_its_baselines_in_turns() -> None:
    """The candidate is A in every pair, whatever the openings."""
    gate = Pairing(GATE, "b", ("a", "c"))
    stream = schedule("abc", boards="6x7", openings=BOOK, pairing=gate)
    assert [names(stream.pair(number)) for number in range(4)] == [
        *(("b", "a"), ("b", "c"), ("b", "a"), ("b", "c"))
    ]


def test_openings_for_other_boards_are_refused() -> None:
    """An opening on a board that is not played, and a board without one, must be named."""
    refuse_other_boards(BOOK, parse_board_classes("6x7"))
    with pytest.raises(UsageError, match=r"'6x7 00' is not for the boards thu: add the board 6x7"):
        refuse_other_boards(BOOK, parse_board_classes("thu"))
    with pytest.raises(UsageError, match="there is no opening for 8x8: leave the board out"):
        refuse_other_boards(BOOK, parse_board_classes("6x7,8x8"))
