"""`ladder queue`: experiments are checked, stored, listed and changed; tokens are made once."""

import shutil
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from db.records.queue import EntryState, NewService
from db.records.tokens import Right
from db.store import Store
from ladder.queue.tokens import find_token
from tests.ladder.cli.conftest import Command, Done

BOT = Path(__file__).resolve().parents[3] / "fake_bots" / "bot.py"
GATE = ("gate", "v4", "--against", "v3", "--simulations", "10", "--boards", "6x7")


def words_of(done: Done) -> list[str]:
    """Return the command line that was stored."""
    assert done.code == 0, done.err
    return list(done.document["arguments"])


def serve(store: Store, entry_id: int) -> int:
    """Let a new service, whose lock nobody holds, claim an experiment."""
    service = store.queue.start_service(NewService(host="h", pid=1, cluster=None, jobs=1))
    assert store.queue.claim(entry_id, service.id) is not None
    return service.id


@pytest.mark.slow
def test_an_experiment_is_stored_with_its_resolved_options(ladder: Command, tmp_path: Path) -> None:
    """Defaults of `ladder.toml` become options, except those that the service decides."""
    (tmp_path / "ladder.toml").write_text(
        'concurrency = 1\n[gate]\ntime = "40ms"\nboards = "6x7"\n'
    )
    done = ladder("queue", "add", "gate", "v4", "--against", "v3", "--max-drop", "20", "--json")
    assert words_of(done) == ["gate", "v4", "--against", "v3", "--boards", "6x7", "--time", "40ms"]
    assert done.document["folder"] == str(tmp_path)
    assert done.document["status"] == "waiting"
    assert "no service plays" in done.err
    assert ladder("runs", "--json").document == {"runs": []}


@pytest.mark.slow
def test_options_of_the_queue_may_stand_anywhere(ladder: Command) -> None:
    """After two dashes everything belongs to the experiment; its run has the note, too."""
    own = ("--priority", "-2", "--note", "why", "--as", "ann", "--json")
    for done in (ladder("queue", "add", *own, *GATE), ladder("queue", "add", *GATE, *own)):
        assert words_of(done) == [*GATE[:4], *GATE[6:], *GATE[4:6], "--note", "why"]
        document = done.document
        assert (document["author"], document["priority"], document["note"]) == ("ann", -2, "why")
    inside = ladder("queue", "add", "--", *GATE, "--json", "--note", "other")
    assert inside.code == 0
    assert ladder("queue", "show", "3").out.count("other") == 1
    shown = ladder("queue", "show", "3", "--json").document
    assert shown["arguments"][-3:] == ["--note", "other", "--json"]
    assert shown["note"] == "other"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("gate", "nosuch", "--against", "v3"), "no registered bot is called 'nosuch'"),
        (("gate", "v4"), "Missing option '--against'"),
        (("gate", "v4", "--against", "v3", "--boards", "1x1"), "--boards: "),
        (("gate", "v4", "--against", "v3", "--nosuch"), "No such option"),
        ((*GATE, "--cluster", "lab:8786"), "--cluster cannot stand in the queue: the service"),
        ((*GATE, "--concurrency", "2"), "--concurrency cannot stand in the queue: the service"),
        ((*GATE, "--html", "x.html"), "--html cannot stand in the queue: the file"),
        ((*GATE, "--stored"), "--stored cannot stand in the queue: it plays nothing"),
        (("--", *GATE, "--db", "x.db"), "--db cannot stand in the queue"),
        (("run", "--games", "9", "--new"), "--new cannot stand in the queue: an experiment"),
        (("run", "--bots", "v1,v2"), "this run would never end: give it --games or --hours"),
        (("run", "--games", "9", "--bots", "x*"), "no registered bot matches 'x*'"),
        (("match", "v1", "v1"), "needs two different bots"),
        (("suite", "make", "x.jsonl"), "'suite make' cannot wait in the queue: give one of run"),
        (("report",), "'report' cannot wait in the queue: give one of run"),
        (("tune", "builtin:v18", "--param", "nosuch=0..1"), "nosuch"),
        ((*GATE, "--priority", "11"), "11 is not a whole number from -10 to 10"),
        ((*GATE, "--as", "a\x1b[31m"), "--as must be printable text"),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_what_cannot_start_is_refused(
    ladder: Command, tmp_path: Path, words: tuple[str, ...], problem: str
) -> None:
    """A sentence says why, and no new database is left."""
    done = ladder("queue", "add", *words)
    assert done.code == 2
    assert problem in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "ladder.db").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("run", "--bots", "v1,v2", "--games", "10", "--boards", "6x7"),
        ("match", "v4", "v3", "--games", "10"),
        ("select", "v2", "v3", "--against", "v4"),
        ("tune", "builtin:v18", "--param", "c=0.2..1.2", "--games", "40"),
    ],
)
def test_a_checked_experiment_is_not_played(ladder: Command, words: tuple[str, ...]) -> None:
    """Every kind of experiment passes its own checks and ends before it would play."""
    done = ladder("queue", "add", *words, "--json")
    assert set(words) <= set(words_of(done))
    assert ladder("runs", "--json").document == {"runs": []}


@pytest.mark.slow
def test_a_run_keeps_the_bots_that_a_pattern_selects_now(ladder: Command) -> None:
    """A bot that is registered while the run waits does not change it."""
    done = ladder("queue", "add", "run", "--bots", "v[12]", "--games", "10", "--json")
    assert words_of(done)[1:3] == ["--bots", "v1,v2"]


@pytest.mark.slow
def test_openings_of_a_file_are_stored(ladder: Command, tmp_path: Path) -> None:
    """The service needs no file: the hash of the stored set takes its place."""
    (tmp_path / "book.txt").write_text("6x7 3342\n6x7 3343\n")
    done = ladder("queue", "add", *GATE, "--openings", "book.txt", "--json")
    words = words_of(done)
    word = words[words.index("--openings") + 1]
    (tmp_path / "book.txt").unlink()
    with Store.open("ladder.db") as store:
        assert [row.content_hash for row in store.opening_sets.find("book.txt")] == [word]
    again = ladder("queue", "add", *GATE, "--openings", word, "--json")
    assert words_of(again) == words_of(done)


@pytest.mark.slow
def test_the_files_of_a_bot_are_stored(ladder: Command, tmp_path: Path) -> None:
    """They are stored until the last experiment with them has ended; a changed bot is refused."""
    shutil.copy(BOT, tmp_path / "bot.py")
    spec = f"exec:{sys.executable} -I -S bot.py honest"
    assert ladder("bots", "add", "mine", spec).code == 0
    words = ("match", "mine", "v1", "--time", "500ms", "--boards", "6x7", "--games", "2")
    assert ladder("queue", "add", *words).code == 0
    with Store.open("ladder.db") as store:
        (bot,) = store.queue.bots(1)
        assert bot.revision_id == store.bots.get("mine").revision.id
        assert bot.archive is not None
        assert store.queue.archive(bot.archive)
    refused = ladder("bots", "delete", "mine")
    assert "in the queue: cancel experiment 1 first" in refused.err
    assert ladder("queue", "cancel", "1").out == "experiment 1 is cancelled\n"
    (tmp_path / "bot.py").write_text("changed = True")
    refused = ladder("queue", "add", *words)
    assert refused.code == 2
    assert "mine is not what was registered" in refused.err


@pytest.mark.slow
def test_users_cancel_pause_resume_and_reorder(ladder: Command) -> None:
    """An experiment in play is asked to stop; one whose service has died is changed at once."""
    for _ in range(3):
        assert ladder("queue", "add", *GATE).code == 0
    assert ladder("queue", "first", "3").out == "experiment 3 is waiting\n"
    assert [job["job"] for job in ladder("queue", "list", "--json").document["jobs"]] == [3, 1, 2]
    assert ladder("queue", "pause", "2").out == "experiment 2 is paused\n"
    assert ladder("queue", "resume", "2").out == "experiment 2 is waiting\n"
    with Store.open("ladder.db") as store, closing(store.service_lock()) as lock:
        service = serve(store, 1)
        assert lock.try_acquire(service)
        assert ladder("queue", "pause", "1").out == "experiment 1 is being paused\n"
        assert ladder("queue", "cancel", "1").out == "experiment 1 is being cancelled\n"
        assert "neither paused nor resumed" in ladder("queue", "pause", "1").err
        text = ladder("queue", "show", "1").out
        assert "being cancelled" in text
        assert "(process 1 on h)" in text
        store.queue.claim(3, serve(store, 2))  # a service that dies before it takes its lock
        jobs = ladder("queue", "list", "--json").document["jobs"]
        states = {job["job"]: job["status"] for job in jobs}
        assert states == {1: "playing", 2: "waiting", 3: "waiting"}
    assert ladder("queue", "pause", "2").out == "experiment 2 is paused\n"
    assert ladder("queue", "list", "--json").document["jobs"][-1]["status"] == "cancelled"
    refused = ladder("queue", "cancel", "1")
    assert refused.code == 2
    assert "experiment 1 is cancelled" in refused.err
    assert "there is no experiment 9" in ladder("queue", "show", "9").err


def end_entry(entry_id: int, code: int | None) -> None:
    """Play an experiment as a service, once it waits; None cancels it."""
    with Store.open("ladder.db") as store:
        deadline = time.monotonic() + 60
        while not any(entry.id == entry_id for entry in store.queue.waiting()):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        if code is None:
            store.queue.cancel(entry_id)
            return
        service = serve(store, entry_id)
        message = "it was killed" if code < 0 else ""
        store.queue.finish(entry_id, service, exit_code=code, output='{"a": 1}\n', message=message)


@pytest.mark.slow
def test_waiting_ends_as_the_experiment_does(ladder: Command) -> None:
    """The command prints the result and has the exit code of the experiment."""
    ladder("queue", "add", *GATE)
    expected = {3: 3, -9: 1, None: 130}
    for entry_id, (code, ends) in enumerate(expected.items(), start=2):
        player = threading.Thread(target=end_entry, args=(entry_id, code))
        player.start()
        done = ladder("queue", "add", "--wait", *GATE)
        player.join()
        assert done.code == ends
        assert done.out == ("" if code is None else '{"a": 1}\n')
    assert "it was killed" in ladder("queue", "show", "3").out
    document: Any = ladder("queue", "show", "2", "--json").document
    assert (document["status"], document["exit_code"], document["result"]) == ("done", 3, {"a": 1})
    assert ladder("queue", "show", "3", "--json").document["status"] == EntryState.FAILED.value


def test_an_empty_queue_is_shown(ladder: Command) -> None:
    """A database without experiments is no error, and a missing one is not created."""
    assert ladder("queue", "list").code == 2
    Store.open("ladder.db").close()
    assert "the queue is empty" in ladder("queue", "list").out
    assert ladder("queue", "list", "--json").document == {"jobs": []}
    assert "there are no tokens" in ladder("queue", "token").out


def test_a_token_is_shown_once(ladder: Command) -> None:
    """Its secret is printed when it is made, and only its hash is stored."""
    made = ladder("queue", "token", "ann", "--submit", "--json").document
    assert set(made) == {"name", "right", "created_at", "used_at", "token"}
    plain = ladder("queue", "token", "bob")
    assert "bob may read with this token" in plain.err
    with Store.open("ladder.db") as store:
        found = find_token(store, made["token"])
        assert found is not None
        assert (found.name, found.right) == ("ann", Right.SUBMIT)
        reader = find_token(store, plain.out.strip())
        assert reader is not None
        assert reader.right is Right.READ
        assert find_token(store, "guess") is None
    assert made["token"].encode() not in Path("ladder.db").read_bytes()
    listed = ladder("queue", "token", "--json").document["tokens"]
    rights = {each["name"]: each["right"] for each in listed}
    assert rights == {"ann": "submit", "bob": "read"}
    assert "choose another name" in ladder("queue", "token", "ann", "--read").err
    assert ladder("queue", "token", "ann", "--delete").out == "token ann is deleted\n"
    for words in (("ann", "--delete"), ("x", "--read", "--submit"), ("--read",), ("a b",)):
        assert ladder("queue", "token", *words).code == 2
