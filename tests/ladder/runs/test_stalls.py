"""Stalls that belong to the machine end a run; those of one bot cost that bot its place."""

import random

import pytest

from bots.protocol import Budget
from db.records.games import GameRecord
from db.records.launch import Start
from db.records.pairs import Entrant, PairPlan, PairRecord
from ladder.errors import InvalidRun
from ladder.match.game.referee import MAX_STALLS
from ladder.runs.stalls import ENOUGH, MOST, MOST_PAIRS, WINDOW, Stalls

GAME: GameRecord = None  # type: ignore[assignment] - only counted
GIVEN_UP = PairRecord(1, 0, (), aborts=MAX_STALLS + 1, abort_reason="busy")


def played(aborts: int = 0) -> PairRecord:
    return PairRecord(1, 0, (GAME, GAME), aborts=aborts)


def plan(a: str = "a", b: str = "b") -> PairPlan:
    def entrant(name: str) -> Entrant:
        return Entrant(1, name, Start((name,), "/"), Budget(time_ms=100))

    return PairPlan(1, 0, entrant(a), entrant(b), "6x7", "6x7", (), 1)


def test_a_fifth_of_the_games_is_too_much() -> None:
    """The run ends at the stall that makes it a fifth of the window, and says what helps."""
    stalls = Stalls(2)
    for _ in range(MOST - 1):
        assert stalls.note(plan(), played(aborts=1)) == []
        assert stalls.note(plan(), played()) == []
    with pytest.raises(InvalidRun, match=rf"at {MOST} of the last \d+ .*lower --concurrency"):
        stalls.note(plan(), played(aborts=1))


def test_a_tenth_of_the_games_is_told_and_no_more() -> None:
    """However long the run is, a share below the limit does not end it."""
    stalls = Stalls(2)
    for _ in range(10 * WINDOW):
        stalls.note(plan(), played(aborts=1))
        for _ in range(5):
            stalls.note(plan(), played())


def test_pairs_that_cannot_be_played_end_the_run_only_when_they_are_close() -> None:
    """Three in a night are none of the rule's business, three in a row are."""
    stalls = Stalls(2)
    for _ in range(5):
        stalls.note(plan(), GIVEN_UP)
        for _ in range(WINDOW // 2):
            stalls.note(plan(), played())
    for _ in range(MOST_PAIRS - 1):
        stalls.note(plan(), GIVEN_UP)
    with pytest.raises(InvalidRun, match=f"{MOST_PAIRS} pairs could not be played at all"):
        stalls.note(plan(), GIVEN_UP)


@pytest.mark.parametrize("record", [GIVEN_UP, played(aborts=2)])
@pytest.mark.parametrize("names", ["abc", "abcdefgh"])
def test_the_stalls_of_one_bot_are_its_own(record: PairRecord, names: str) -> None:
    """It is named once the others have played enough without it, and the run goes on."""
    stalls, draws, paused = Stalls(len(names)), random.Random(1), set()
    without = 0
    for _ in range(1000):
        a, b = draws.sample(names, 2)
        if paused & {a, b}:
            continue
        evil = "c" in (a, b)
        paused.update(stalls.note(plan(a, b), record if evil else played()))
        without += 0 if evil else 2
        if paused:
            break
    assert paused == {"c"}
    assert without >= ENOUGH
    for _ in range(WINDOW):
        a, b = draws.sample(sorted({*names} - paused), 2)
        assert stalls.note(plan(a, b), played()) == []


def test_of_many_bots_two_may_be_at_fault() -> None:
    """Both are named."""
    names = "abcdefghijklmnop"
    stalls, draws, paused = Stalls(len(names)), random.Random(2), set()
    for _ in range(1000):
        a, b = draws.sample(sorted({*names} - paused), 2)
        paused.update(stalls.note(plan(a, b), GIVEN_UP if {a, b} & {"c", "m"} else played()))
    assert paused == {"c", "m"}


@pytest.mark.parametrize(
    "names", ["abc", "abcd", "abcdefgh", "abcdefghijklmnopqrstuvwxyzABCDEFGHI"]
)
@pytest.mark.parametrize("seed", range(5))
def test_a_machine_that_stalls_all_is_not_taken_for_a_bot(names: str, seed: int) -> None:
    """Whoever happens to have had the most stalls is not named for it."""
    stalls, draws = Stalls(len(names)), random.Random(seed)

    def play() -> None:
        for _ in range(2000):
            a, b = draws.sample(names, 2)
            assert stalls.note(plan(a, b), played(aborts=draws.choice((0, 0, 1, 1)))) == []

    with pytest.raises(InvalidRun, match="the machine stalls"):
        play()


def test_without_an_indispensable_bot_there_is_nothing_to_play() -> None:
    """The candidate of a gauntlet is not named, one of its opponents can be."""
    stalls = Stalls(9, indispensable=frozenset("a"))
    named: list[str] = []
    for number in range(200):
        other = "bcdefghi"[number % 8]
        named += stalls.note(plan("a", other), GIVEN_UP if other == "e" else played())
        if named:
            break
    assert named == ["e"]
    stalls = Stalls(9, indispensable=frozenset("a"))
    with pytest.raises(InvalidRun):  # noqa: PT012 - some time
        for number in range(20):
            stalls.note(plan("a", "bcdefghi"[number % 8]), GIVEN_UP)
