"""Stalls that belong to the machine end a run; those of one bot are charged to it."""

import random

import msgspec
import pytest

from bots.protocol import Budget
from db.records.games import GameRecord
from db.records.launch import Start
from db.records.pairs import Entrant, Excuses, PairPlan, PairRecord
from ladder.errors import InvalidRun
from ladder.match.game.refereed_game import MAX_STALLS
from ladder.runs.stalls import (
    MAX_GIVEN_UP,
    MAX_STALLED,
    MIN_EXCUSED,
    SUSPECT_FACTOR,
    WINDOW,
    Stalls,
)

GAME: GameRecord = None  # type: ignore[assignment] - only counted
GIVEN_UP = PairRecord(1, 0, (), aborts=MAX_STALLS + 1, abort_reason="busy")


def played(aborts: int = 0) -> PairRecord:
    return PairRecord(1, 0, (GAME, GAME), aborts=aborts)


def plan(a: str = "a", b: str = "b") -> PairPlan:
    def entrant(name: str) -> Entrant:
        return Entrant(1, name, Start((name,), "/"), Budget(time_ms=100))

    return PairPlan(1, 0, entrant(a), entrant(b), "6x7", "6x7", (), 1)


def test_stalls_in_a_fifth_of_the_games_end_a_run() -> None:
    """The run ends at the stall that makes it a fifth of the window, and reports what helps."""
    stalls = Stalls()
    for _ in range(MAX_STALLED - 1):
        assert stalls.note(plan(), played(aborts=1)) == []
        assert stalls.note(plan(), played()) == []
    with pytest.raises(InvalidRun, match=rf"in {MAX_STALLED} of the last \d+ attempts"):
        stalls.note(plan(), played(aborts=1))


@pytest.mark.slow
def test_stalls_in_a_tenth_of_the_games_are_only_reported() -> None:
    """However long the run is, a share below the limit does not end it."""
    stalls = Stalls()
    for _ in range(10 * WINDOW):
        stalls.note(plan(), played(aborts=1))
        for _ in range(5):
            stalls.note(plan(), played())


def test_pairs_that_cannot_be_played_end_the_run_only_when_they_are_close() -> None:
    """Three in a night change nothing, three in a row end the run."""
    stalls = Stalls()
    for _ in range(5):
        stalls.note(plan(), GIVEN_UP)
        for _ in range(WINDOW // 2):
            stalls.note(plan(), played())
    for _ in range(MAX_GIVEN_UP - 1):
        stalls.note(plan(), GIVEN_UP)
    with pytest.raises(InvalidRun, match=f"{MAX_GIVEN_UP} pairs could not be played at all"):
        stalls.note(plan(), GIVEN_UP)


MOVE_US = 100_000
"""Time of a move that uses its budget."""


def excused(late: tuple[int, int], *, moves: int = 10, quick_opponent: bool = False) -> PairRecord:
    """Return a pair with excused late moves of A and B; the controls after them were in time."""
    asked = (MOVE_US * (moves + late[0]), (100 if quick_opponent else MOVE_US) * (moves + late[1]))
    record = Excuses(late, asked, controls=0, control_us=MOVE_US * sum(late))
    return PairRecord(1, 0, (GAME, GAME), aborts=sum(late), excuses=record)


def stuck(late: int = MAX_STALLS + 1) -> PairRecord:
    """Return a pair that A could not get beyond its first move in."""
    record = Excuses((late, 0), (MOVE_US * late, 0), controls=0, control_us=MOVE_US * late)
    return PairRecord(1, 0, (), aborts=late, abort_reason="busy", excuses=record)


@pytest.mark.parametrize("swapped", [False, True])
def test_of_two_bots_the_one_that_alone_needs_excuses_is_named(swapped: bool) -> None:
    """Once, and before the run would be given up."""
    stalls, named = Stalls(), list[str]()
    pairs = 0
    while not named:
        named += stalls.note(plan(), excused((0, 1) if swapped else (1, 0)))
        pairs += 1
    assert named == ["b" if swapped else "a"]
    assert MIN_EXCUSED <= pairs < MAX_STALLED
    assert stalls.note(plan(), played()) == []


def test_a_bot_that_never_gets_beyond_its_first_move_is_named() -> None:
    """Its opponent is not asked then; the controls after its moves are the comparison."""
    stalls, named = Stalls(), list[str]()
    for _ in range(MAX_GIVEN_UP * SUSPECT_FACTOR):
        named += stalls.note(plan(), stuck())
        if named:
            break
    assert named == ["a"]


def test_an_overloaded_machine_ends_the_run_and_names_no_bot() -> None:
    """After a calm hour, three pairs are given up that one bot happened to begin."""
    stalls = Stalls()
    for _ in range(WINDOW):
        assert stalls.note(plan(), excused((0, 0))) == []
    explained = msgspec.structs.replace(stuck().excuses, controls=MAX_STALLS + 1)
    record = msgspec.structs.replace(stuck(), excuses=explained)
    for _ in range(MAX_GIVEN_UP - 1):
        assert stalls.note(plan(), record) == []
    with pytest.raises(InvalidRun, match=f"{MAX_GIVEN_UP} pairs could not be played"):
        stalls.note(plan(), record)


def test_stalls_that_are_no_excuses_end_the_run_as_before() -> None:
    """What the host of the machine took was no bot's doing."""
    stalls = Stalls()
    record = msgspec.structs.replace(stuck(), excuses=Excuses())
    with pytest.raises(InvalidRun, match=f"{MAX_GIVEN_UP} pairs could not be played"):  # noqa: PT012
        for _ in range(MAX_GIVEN_UP):
            stalls.note(plan(), record)


def test_a_bot_with_quick_opponents_is_not_named_for_their_speed() -> None:
    """An opponent that answers at once cannot be late, so it is no comparison."""
    stalls = Stalls()
    for _ in range(2 * WINDOW):
        assert stalls.note(plan(), excused((1, 0), moves=40, quick_opponent=True)) == []
        for _ in range(3):
            assert stalls.note(plan(), excused((0, 0), moves=40, quick_opponent=True)) == []


def test_controls_that_are_late_themselves_excuse_a_bot() -> None:
    """The referee, in the bot's place, was delayed as well."""
    stalls = Stalls()
    late = excused((1, 0))
    shared = msgspec.structs.replace(late.excuses, controls=1)
    for _ in range(10):
        for _ in range(4):
            assert stalls.note(plan(), excused((0, 0))) == []
        assert stalls.note(plan(), msgspec.structs.replace(late, excuses=shared)) == []


@pytest.mark.parametrize("names", ["abc", "abcdefgh"])
def test_the_excuses_of_one_bot_among_many_are_charged_to_it(names: str) -> None:
    """It is named, no other bot is, and the run continues."""
    stalls, draws, named = Stalls(), random.Random(1), list[str]()
    for _ in range(1000):
        a, b = draws.sample(names, 2)
        late = (0, 0) if named else (int(a == "c"), int(b == "c"))
        named += stalls.note(plan(a, b), excused(late))
    assert named == ["c"]


@pytest.mark.parametrize("names", ["ab", "abc", "abcdefgh", "abcdefghijklmnopqrstuvwxyz"])
@pytest.mark.parametrize("seed", range(5))
def test_stalls_of_all_bots_are_charged_to_none(names: str, seed: int) -> None:
    """The bot that happens to have had the most stalls is not named for it."""
    stalls, draws = Stalls(), random.Random(seed)

    def play() -> None:
        for _ in range(2000):
            a, b = draws.sample(names, 2)
            late = (draws.choice((0, 0, 1)), draws.choice((0, 0, 1)))
            assert stalls.note(plan(a, b), excused(late)) == []

    with pytest.raises(InvalidRun, match="the machine stalls"):
        play()


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
def test_honest_bots_are_hardly_ever_named(share: float) -> None:
    """On a machine that is just not bad enough to end runs, whichever bot thinks for longer."""
    named = 0
    for seed in range(30):
        stalls, draws = Stalls(), random.Random(seed)
        for _ in range(150):
            late = draws.random() < 0.2
            mine = draws.random() < share
            record = excused((int(late and mine), int(late and not mine)))
            asked = (int(share * 2_000_000), int((1 - share) * 2_000_000))
            excuses = msgspec.structs.replace(record.excuses, asked_us=asked, control_us=0)
            named += len(stalls.note(plan(), msgspec.structs.replace(record, excuses=excuses)))
    assert named <= 1
