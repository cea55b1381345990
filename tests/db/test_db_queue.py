"""The queue of experiments and the tokens of users, as they are stored."""

import contextlib

import pytest

from db.errors import InUse, NameTaken, UnknownRow
from db.records.queue import (
    EntryRequest,
    EntryRow,
    EntryState,
    NewEntry,
    NewQueueBot,
    NewService,
    ServiceRow,
)
from db.records.tokens import Right
from db.store import Store
from tests.db.making import add_bots, elo, new_run
from tests.support.sql import execute_sql


def add(store: Store, **changes: object) -> EntryRow:
    new = {"command": "gate", "arguments": ("v1", "--against", "v2"), "folder": "/"}
    new |= {"author": "a", "host": "h"}
    return store.queue.add(NewEntry(**(new | changes)))  # type: ignore[arg-type]


def serve(store: Store) -> ServiceRow:
    return store.queue.start_service(NewService(host="h", pid=1, cluster=None, jobs=2))


def test_an_entry_is_played_by_one_service(store: Store) -> None:
    """Only the first claim of an entry succeeds, and only its service can end it."""
    entry = add(store, priority=3, note="why")
    one, two = serve(store), serve(store)
    claimed = store.queue.claim(entry.id, one.id)
    assert claimed is not None
    assert claimed.state is EntryState.PLAYING
    assert claimed.words == ("gate", "v1", "--against", "v2")
    assert store.queue.claim(entry.id, two.id) is None
    assert store.queue.finish(entry.id, two.id, exit_code=0, output="", message="") is None
    run = new_run(store)
    store.queue.set_run(entry.id, run.id)
    ended = store.queue.finish(entry.id, one.id, exit_code=3, output="{}", message="")
    assert ended == store.queue.get(entry.id)
    assert ended is not None
    assert (ended.state, ended.exit_code, ended.output) == (EntryState.DONE, 3, "{}")
    assert (ended.run_id, ended.priority, ended.note) == (run.id, 3, "why")
    assert store.queue.release([one.id]) == []
    with pytest.raises(InUse, match="is done"):
        store.queue.cancel(entry.id)
    store.runs.delete(run.id, elo)
    assert store.queue.get(entry.id).run_id is None


def test_entries_of_a_dead_service_wait_again(store: Store) -> None:
    """What a service played waits again, is paused or is cancelled, as users asked meanwhile."""
    service = serve(store)
    entries = [add(store) for _ in range(5)]
    for entry in entries[:4]:
        assert store.queue.claim(entry.id, service.id) is not None
    assert store.queue.cancel(entries[1].id).request is EntryRequest.CANCEL
    assert store.queue.pause(entries[2].id).request is EntryRequest.PAUSE
    assert store.queue.pause(entries[3].id).request is EntryRequest.PAUSE
    assert store.queue.resume(entries[3].id).request is None
    with pytest.raises(InUse, match="being cancelled"):
        store.queue.pause(entries[1].id)
    assert len(store.queue.played_by(service.id)) == 4
    assert len(store.queue.release([service.id], entries[0].id)) == 1
    assert len(store.queue.release([service.id])) == 3
    states = [store.queue.get(entry.id).state.value for entry in entries]
    assert states == ["waiting", "cancelled", "paused", "waiting", "waiting"]
    assert store.queue.get(entries[1].id).ended_at is not None
    assert store.queue.resume(entries[2].id).state is EntryState.WAITING


def test_waiting_entries_have_an_order(store: Store) -> None:
    """Larger priorities come first, then what was put first most recently, then the oldest."""
    one, two, three, four = (add(store).id for _ in range(4))
    store.queue.set_priority(four, 2)
    store.queue.put_first(two)
    store.queue.put_first(three)
    assert [entry.id for entry in store.queue.waiting()] == [four, three, two, one]
    assert [entry.id for entry in store.queue.find(limit=2)] == [four, three]


def test_archives_live_as_long_as_an_entry_needs_them(store: Store) -> None:
    """An archive is stored once, and deleted with the end of the last entry that needs it."""
    revision, *_ = add_bots(store)
    bot = NewQueueBot(name="v1", spec="./v1", revision_id=revision, archive="abc")
    one = add(store, bots=(bot,), archives={"abc": b"\0files"})
    two = add(store, bots=(bot,), archives={"abc": b"\0files"})
    assert store.queue.archive("abc") == b"\0files"
    store.queue.cancel(one.id)
    assert store.queue.bots(one.id)[0].archive is None
    assert store.queue.bots(two.id)[0].archive == "abc"
    with pytest.raises(InUse, match=f"experiment {two.id}"):
        store.bots.delete("v1")
    service = serve(store)
    store.queue.claim(two.id, service.id)
    ended = store.queue.finish(two.id, service.id, exit_code=-9, output="", message="killed")
    assert ended is not None
    assert ended.state is EntryState.FAILED
    assert execute_sql(store.where, "SELECT digest FROM archives") == []
    with pytest.raises(UnknownRow, match="ended"):
        store.queue.archive("abc")
    store.bots.delete("v1")


def test_faults_of_the_queue_are_found(store: Store) -> None:
    """A row of another program, and a waiting experiment without its files, are faults."""
    revision, *_ = add_bots(store)
    bot = NewQueueBot(name="v1", spec="./v1", revision_id=revision, archive="abc")
    good, odd, orphan = add(store), add(store), add(store)
    bare = add(store, bots=(bot,), archives={"abc": b"files"})
    assert list(store.audit.queue()) == []
    execute_sql(store.where, "UPDATE queue_entries SET state = 'lost' WHERE id = 2")
    execute_sql(store.where, "UPDATE queue_entries SET state = 'playing' WHERE id = 3")
    execute_sql(store.where, "UPDATE queue_bots SET archive = NULL")
    odd_fault, orphan_fault, bare_fault = store.audit.queue()
    assert odd_fault.startswith(f"experiment {odd.id}: 'lost'")
    assert orphan_fault == f"experiment {orphan.id} is played by no service"
    assert bare_fault == f"experiment {bare.id} lacks the files of a bot"
    assert store.queue.get(good.id) == good


def test_a_service_has_a_lock_of_its_own(store: Store) -> None:
    """The lock of service 1 is not that of run 1, and both can be held."""
    with (
        contextlib.closing(store.run_lock()) as runs,
        contextlib.closing(store.service_lock()) as services,
    ):
        assert runs.try_acquire(1)
        assert not services.is_alive(1)
        assert services.try_acquire(1)
        assert not services.try_acquire(1)
        services.release(1)
        assert not services.is_alive(1)
        assert runs.is_alive(1)


def test_tokens_are_found_by_their_hash(store: Store) -> None:
    """A token has a name of its own, and is known until it is deleted."""
    token = store.tokens.add("ann", "00ff", Right.SUBMIT)
    with pytest.raises(NameTaken, match="ann"):
        store.tokens.add("ann", "11", Right.READ)
    assert store.tokens.find("00ff") == token
    assert store.tokens.find("ff00") is None
    store.tokens.mark_used(token.id)
    assert store.tokens.all()[0].used_at is not None
    store.tokens.delete("ann")
    assert store.tokens.find("00ff") is None
    with pytest.raises(UnknownRow, match="lists them"):
        store.tokens.delete("ann")
    assert Right.MANAGE.includes(Right.READ)
    assert not Right.READ.includes(Right.SUBMIT)
