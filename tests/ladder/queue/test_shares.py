"""Fair shares: by author first, then by priority; no author waits behind another."""

import pytest

from db.records.queue import EntryRow, EntryState
from ladder.queue.shares import divide_machines, entry_to_stop, next_entry, shares


def entry(number: int, author: str, priority: int = 0, place: int = 0) -> EntryRow:
    return EntryRow(
        id=number,
        command="gate",
        arguments=("mine",),
        folder="/",
        author=author,
        host="lab",
        priority=priority,
        place=place,
        note="",
        state=EntryState.WAITING,
        request=None,
        submitted_at=0.0,
        started_at=None,
        ended_at=None,
        exit_code=None,
        output="",
        message="",
        run_id=None,
        service_id=None,
    )


@pytest.mark.parametrize(
    ("playing", "slots", "expected"),
    [
        ("", 4, {}),
        ("ann", 4, {1: 4}),
        ("ann ann", 4, {1: 2, 2: 2}),
        ("ann ann ann bob", 12, {1: 2, 2: 2, 3: 2, 4: 6}),
        ("ann bob+1", 12, {1: 4, 2: 8}),
        ("ann ann+1", 12, {1: 4, 2: 8}),
        ("ann ann+1 bob", 12, {1: 3, 2: 5, 3: 4}),
        ("ann ann ann ann bob", 6, {1: 1, 2: 1, 3: 1, 4: 1, 5: 2}),
        ("ann bob+9", 3, {1: 1, 2: 2}),
        ("ann bob cid+1", 2, {1: 1, 2: 0, 3: 1}),
        ("ann bob", 0, {1: 0, 2: 0}),
    ],
)
def test_slots_are_divided_by_author_and_priority(
    playing: str, slots: int, expected: dict[int, int]
) -> None:
    """One author's experiments share what one author gets, and each step of priority doubles it."""
    entries = []
    for number, word in enumerate(playing.split(), start=1):
        author, _, priority = word.partition("+")
        entries.append(entry(number, author, int(priority or 0)))
    assert shares(entries, slots) == expected


def test_ten_authors_share_many_slots_evenly() -> None:
    """Two hundred slots are divided to the last one, whatever number each author plays."""
    playing = [entry(10 * author + each, f"a{author}") for author in range(5) for each in range(2)]
    given = shares([*playing, entry(99, "late")], 200)
    assert sum(given.values()) == 200
    by_author = [given[10 * author] + given[10 * author + 1] for author in range(5)]
    assert max([*by_author, given[99]]) - min([*by_author, given[99]]) <= 1


@pytest.mark.parametrize(
    ("waiting", "playing", "expected"),
    [
        ([], [], None),
        ([entry(1, "ann"), entry(2, "bob")], [], 1),
        ([entry(1, "ann"), entry(2, "bob", 1)], [], 2),
        ([entry(1, "ann"), entry(2, "ann", place=-1)], [], 2),
        ([entry(1, "ann"), entry(2, "bob")], [entry(3, "ann")], 2),
        ([entry(1, "ann", 2), entry(2, "bob")], [entry(3, "ann"), entry(4, "bob")], 1),
        ([entry(1, "ann", 9), entry(2, "bob")], [entry(3, "ann")], 2),
    ],
)
def test_the_author_who_plays_least_is_next(
    waiting: list[EntryRow], playing: list[EntryRow], expected: int | None
) -> None:
    """Among the entries of such authors, priority counts, then the place, then the number."""
    chosen = next_entry(waiting, playing)
    assert (chosen and chosen.id) == expected


def test_an_author_of_several_makes_room_for_one_of_none() -> None:
    """The last experiment of the author with the most is stopped, but only where it can be."""
    three = [entry(number, "ann") for number in (1, 2, 3)]
    other = entry(4, "bob")
    assert entry_to_stop([entry(5, "cid")], [*three, other], [*three, other]) == three[2]
    assert entry_to_stop([entry(5, "cid")], [*three, other], [other]) is None
    assert entry_to_stop([entry(5, "bob")], [*three, other], three) is None
    assert entry_to_stop([entry(5, "cid")], [three[0], other], [three[0], other]) is None


def test_machines_are_divided_to_the_last_slot() -> None:
    """Each experiment gets its slots, spread over the machines, and they move on with each turn."""
    machines = {"a": 10, "b": 20, "c": 10}
    given = {1: 20, 2: 15, 3: 5}
    for turn in range(3):
        divided = divide_machines(given, machines, turn)
        assert {each: sum(found.values()) for each, found in divided.items()} == given
        for address, slots in machines.items():
            assert sum(found.get(address, 0) for found in divided.values()) == slots
        assert all(len(found) == 3 for found in divided.values())
    few = [divide_machines({1: 1, 2: 1}, {"a": 1, "b": 1}, turn) for turn in range(2)]
    assert few == [{1: {"a": 1}, 2: {"b": 1}}, {1: {"b": 1}, 2: {"a": 1}}]
    assert divide_machines({1: 0}, {}, 0) == {1: {}}
