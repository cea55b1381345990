"""Stored games: read as they were played, one by one or as a stream."""

from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.errors import UnknownRow
from db.records import thought_blob as thoughts
from db.records.games import GameQuery, Thought
from db.records.pairs import PlannedPair
from db.store import Store
from engine.result import Result
from tests.db.making import add_bots, maker, new_run, play_all, played, to_plan
from tests.support.storing import finish_pair


@pytest.mark.slow
def test_a_game_is_read_as_it_was_played(store: Store) -> None:
    """Moves, result, termination, offender, sums and thoughts of a game are read back."""
    revisions, run = add_bots(store), new_run(store)
    rows = store.pairs.plan(run.id, 30, maker(revisions))
    seen = set()
    for row in rows:
        record = played(row, Random(row.number))
        ids = finish_pair(store, to_plan(row), record) or ()
        for index, (key, game) in enumerate(zip(ids, record.games, strict=True)):
            stored = store.games.get(key)
            assert stored is not None
            first = row.b_revision if game.swapped else row.a_revision
            assert (stored.pair_id, stored.game, stored.first_revision) == (row.id, index, first)
            assert stored.first == f"v{revisions.index(first) + 1}"
            assert (stored.moves, stored.result) == (game.moves, game.result)
            assert stored.termination is game.termination
            assert stored.last_output == game.last_output
            assert stored.sides[0].time_us == game.sides[0].time_us
            assert stored.sides[1].simulations == game.sides[1].simulations
            played_thoughts = thoughts.decode(game.thoughts)
            assert stored.thoughts == played_thoughts
            searched = [t.time_us for t in played_thoughts[1::2] if t.simulations]
            assert stored.sides[1].searched_us == sum(searched)
            if game.termination.is_forfeit:
                assert stored.offender == (0 if game.result is Result.LOSS else 1)
                seen.add(stored.offender)
            else:
                assert stored.offender is None
    assert seen == {0, 1}
    assert store.games.get(10_000) is None


@pytest.mark.slow
def test_games_are_streamed_by_filter_while_pairs_are_stored(store: Store) -> None:
    """Filters apply, ids ascend, and a reader in the middle does not block the writer."""
    revisions = add_bots(store)
    one, two = new_run(store), new_run(store, rated=False, stream="s2", boards="6x7")
    play_all(store, one, revisions, 10)
    play_all(store, two, revisions, 5)
    reader = store.games.stream()
    first = next(reader)
    play_all(store, one, revisions, 10, seed=2)
    ids = [first.id, *(game.id for game in reader)]
    assert ids == sorted(ids)
    assert len(ids) == 30
    assert len(list(store.games.stream(GameQuery(run_id=one.id)))) == 40
    assert len(list(store.games.stream(GameQuery(run_id=two.id, rated=True)))) == 0
    assert {game.run_id for game in store.games.stream(GameQuery(division_id=two.division_id))} == {
        two.id
    }
    with pytest.raises(UnknownRow):
        list(store.games.stream(GameQuery(run_id=999)))
    assert list(store.games.stream(GameQuery(since=2e9))) == []
    assert store.audit.integrity() == []


def test_a_stream_may_be_left_in_the_middle(place: str) -> None:
    """Closing a half-read stream frees its connection."""
    with Store.open(place) as store:
        run = new_run(store)
        play_all(store, run, add_bots(store), 5)
        reader = store.games.stream()
        next(reader)
        reader.close()


counts = st.none() | st.integers(-(2**70), 2**70)
thought = st.builds(
    Thought,
    st.integers(0, 2**40),
    st.none() | st.floats(allow_nan=False),
    counts,
    counts,
    st.none() | st.sampled_from(["win", "loss", "draw"]),
    st.none() | st.integers(0, 2**45),
    st.text("0123456789ab", max_size=10),
    counts,
    counts,
)


@pytest.mark.slow
@given(st.lists(thought, max_size=20))
def test_thoughts_are_stored_rounded_and_bounded(told: list[Thought]) -> None:
    """Whatever a bot reports can be stored; sane numbers come back, values to three decimals."""
    back = thoughts.decode(thoughts.encode(told))
    assert len(back) == len(told)
    for kept, original in zip(back, told, strict=True):
        for name in ("time_us", "proven", "line", "cpu_us"):
            assert getattr(kept, name) == getattr(original, name)
        for name in ("work", "nodes", "depth", "distance"):
            given_count = getattr(original, name)
            limited = None if given_count is None else min(max(given_count, 0), thoughts.LIMIT)
            assert getattr(kept, name) == limited
        assert kept.simulations is None or original.simulations is not None
        if original.value is None or kept.value is None:
            assert kept.value is original.value
        else:
            assert abs(kept.value - min(max(original.value, -1), 1)) <= 0.0005001


def test_unreadable_thoughts_raise_a_value_error() -> None:
    for blob in (b"", b"\x91\x91\xa1x", b"hello"):
        with pytest.raises(ValueError, match="thoughts"):
            thoughts.decode(blob)


def test_claims_that_were_stored_as_texts_are_read() -> None:
    """Games stored before results and distances were numbers keep their claims."""
    texts = [(9, None, 1, 2, text, 3, "4") for text in ("win 5", "loss -3", "draw", None)]
    read = thoughts.decode(msgspec.msgpack.encode(texts))
    assert [each.claim for each in read] == ["win 5", "loss -3", "draw", None]
    assert [each.distance for each in read] == [5, -3, None, None]
    with pytest.raises(ValueError, match="win, loss or draw"):
        thoughts.decode(msgspec.msgpack.encode([(9, None, 1, 2, "maybe")]))


def test_games_without_reports_are_stored(store: Store) -> None:
    """A game of a bot that reports nothing, and a forfeit before the first move, are stored."""
    a, b = add_bots(store, 2)
    run = new_run(store)
    (row,) = store.pairs.plan(run.id, 1, lambda _: PlannedPair(a, b, "6x7", "6x7", (), 1))
    record = played(row, Random(1), plies=0)
    assert finish_pair(store, to_plan(row), record)
    assert [game.thoughts for game in store.games.stream(thoughts=True)] == [(), ()]
