"""The pages of the queue: what is shown, and who may change what."""

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from db.records.queue import EntryState, NewEntry, NewService
from db.records.runs import RunKind
from db.records.tokens import Right
from ladder.experiments.gate.question import GateTest
from ladder.match.registry.builtins import sync_builtins
from ladder.queue.jobs import find_job
from ladder.queue.outlook import find_outlook
from ladder.queue.tokens import create_token
from tests.ladder.web.conftest import Answer, Running, Start
from tests.ladder.web.test_sign_in import bearer
from tests.support.browser import Opened, until
from tests.support.data.league import Game, League

GATE = ("alpha", "--against", "beta", "--max-games", "400")


@pytest.fixture
def queued(league: League) -> Iterator[League]:
    """Return a database with a gate of ann in play, and two of bob: one waits, one has failed."""
    store = league.store
    for author in ("ann", "bob", "bob"):
        store.queue.add(
            NewEntry(command="gate", arguments=GATE, folder="/", author=author, host="lab1")
        )
    service = store.queue.start_service(
        NewService(host="lab1", pid=os.getpid(), cluster=None, jobs=2)
    )
    run = league.run(
        kind=RunKind.GATE,
        bots=("alpha", "beta"),
        settings={"pairing": "gate:alpha:beta", **GateTest(max_games=400).settings},
    )
    for scores in (("1-0", "1/2"), ("1-0", "0-1"), ("1-0", "1-0")):
        league.pair(run, "alpha", "beta", *(Game(score) for score in scores))
    store.queue.claim(1, service.id)
    store.queue.set_run(1, run.id)
    store.queue.claim(3, service.id)
    store.queue.finish(3, service.id, exit_code=2, output="", message="beta <b>is</b> gone")
    service_lock, run_lock = store.service_lock(), store.run_lock()
    assert service_lock.try_acquire(service.id)
    assert run_lock.try_acquire(run.id)
    yield league
    service_lock.close()
    run_lock.close()


def change(server: Running, secret: str, job: int, word: str, **more: Any) -> Answer:
    """Ask for a change of an experiment."""
    body = {"word": word, **more}
    return server.ask(f"/api/queue/{job}", method="POST", headers=bearer(secret), body=body)


@pytest.mark.usefixtures("queued")
def test_the_queue_is_shown_to_all_who_may_read(server: Running) -> None:
    """The page has what plays, with progress and cost, what waits, and why one has failed."""
    text = server.ask("/queue").text
    assert "Played by lab1, 2 at a time." in text
    assert re.search(r'<progress max="\d+" value="6"', text)
    assert "Decision expected in" in text
    assert "beta &lt;b&gt;is&lt;/b&gt; gone" in text
    assert "data-job" not in text
    assert "0.73 machine hours; " in text  # 400 games of 6.6 s
    assert '<span title="No experiment in play has finished games lately' in text
    assert "beta &lt;b&gt;is&lt;/b&gt; gone" in server.ask("/queue/3").text
    assert server.ask("/queue/4").status == 404
    assert server.ask("/queue/x").status == 404


@pytest.mark.usefixtures("queued")
def test_documents_are_those_of_the_commands(server: Running) -> None:
    """Scripts read the queue as `ladder queue list --json` and `show --json` print it."""
    jobs = server.ask("/api/queue").document["jobs"]
    assert [(job["job"], job["status"]) for job in jobs] == [
        (1, "playing"),
        (2, "waiting"),
        (3, "failed"),
    ]
    assert jobs[0]["games"] == 6
    assert jobs[0]["ends_in_s"] is None
    assert "finished games lately" in jobs[1]["no_estimate"]
    assert len(server.ask("/api/queue?ended=0").document["jobs"]) == 2
    assert server.ask("/api/queue/3").document["message"] == "beta <b>is</b> gone"


def test_without_a_token_nothing_changes(queued: League, server: Running) -> None:
    """The token of the pages is not enough to change the queue, and nor is the right to read."""
    body = {"word": "cancel"}
    asked = server.ask("/api/queue/2", method="POST", body=body, token=server.token)
    assert asked.status == 403
    assert "needs a token" in asked.document["error"]
    secret, _ = create_token(queued.store, "eve", Right.READ)
    refused = change(server, secret, 2, "cancel")
    assert refused.status == 403
    assert "allows to read" in refused.document["error"]
    made = server.ask("/api/queue", method="POST", headers=bearer(secret), body={"command": "run"})
    assert made.status == 403
    assert queued.store.queue.get(2).state is EntryState.WAITING


def test_authors_change_their_own_experiments(queued: League, server: Running) -> None:
    """The right to submit pauses, resumes and cancels one's own experiments, and orders none."""
    store = queued.store
    secret, _ = create_token(store, "bob", Right.SUBMIT)
    assert change(server, secret, 1, "cancel").status == 403
    assert change(server, secret, 2, "first").status == 403
    assert change(server, secret, 2, "priority", priority=1).status == 403
    assert change(server, secret, 2, "priority", priority=-1).document["priority"] == -1
    assert change(server, secret, 2, "pause").document["status"] == "paused"
    assert change(server, secret, 2, "resume").document["status"] == "waiting"
    assert change(server, secret, 2, "cancel").document["status"] == "cancelled"
    assert change(server, secret, 2, "pause").status == 409
    assert change(server, secret, 9, "pause").status == 404
    assert change(server, secret, 2, "delete").status == 400
    assert store.tokens.all()[0].used_at is not None


def test_managers_change_all_experiments(queued: League, server: Running) -> None:
    """The right to manage orders experiments and ends those of others."""
    secret, _ = create_token(queued.store, "root", Right.MANAGE)
    assert change(server, secret, 2, "priority", priority=3).document["priority"] == 3
    assert change(server, secret, 2, "priority", priority=11).status == 400
    assert change(server, secret, 2, "first").status == 200
    assert change(server, secret, 1, "cancel").document["request"] == "cancel"


def submit(server: Running, secret: str, **body: Any) -> Answer:
    """Submit an experiment."""
    given = {"method": "POST", "headers": bearer(secret), "timeout_s": 120.0}
    return server.ask("/api/queue", body=body, **given)


@pytest.mark.slow
def test_a_submission_is_that_of_the_command(league: League, start_server: Start) -> None:
    """`ladder queue add` checks the form, stores it for the token's user, or says what is wrong."""
    sync_builtins(league.store)
    server = start_server(league.store.path)
    secret, _ = create_token(league.store, "ann", Right.SUBMIT)
    made = submit(
        server,
        secret,
        command="gate",
        bots=["v2"],
        against=["v1"],
        kind="simulations",
        amount=50,
        options={"boards": "6x7", "max-games": "40", "rated": "yes", "alpha": ""},
        priority=-2,
        note="--json",
    )
    assert made.status == 200, made.text
    job = find_job(league.store, made.document["job"]).entry
    assert (job.author, job.priority, job.note, job.command) == ("ann", -2, "--json", "gate")
    words = " ".join(job.arguments)
    for expected in ("v2", "v1", "6x7", "40", "50", "--rated"):
        assert expected in words
    gone = submit(server, secret, command="match", bots=["v2"], against=["nosuch"])
    assert gone.status == 400
    assert "nosuch" in gone.document["error"]
    assert len(league.store.queue.find()) == 1


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"command": "worker"}, "one of run, match"),
        ({"command": "tune", "arguments": ["exec:./bot"]}, "right to manage"),
        ({"command": "gate", "bots": ["--db=x"]}, "a bot's name"),
        ({"command": "gate", "bots": ["a,b"]}, "a bot's name"),
        ({"command": "gate", "options": {"html": "/etc/x"}}, "no option"),
        ({"command": "gate", "options": {"alpha": "x" * 3000}}, "at most 2000"),
        ({"command": "gate", "kind": "bottles", "amount": 1}, "no option 'bottles'"),
        ({"command": "gate", "priority": 11}, "priority"),
        ({"command": "gate", "note": "a\x1bb"}, "note"),
        ({"command": "gate", "shell": "true"}, "not valid"),
        ({"command": "gate", "priority": 1}, "right to manage"),
    ],
)
def test_a_bad_form_is_refused(
    league: League, server: Running, body: dict[str, Any], reason: str
) -> None:
    """A form has no file, no program and nothing else that its page does not offer."""
    secret, _ = create_token(league.store, "ann", Right.SUBMIT)
    refused = submit(server, secret, **body)
    assert refused.status in (400, 403)
    assert reason in refused.document["error"]


def cost(server: Running, **body: Any) -> Any:
    """Return the expected cost of an experiment."""
    answer = server.ask("/api/queue/cost", method="POST", body=body, token=server.known_token)
    assert answer.status == 200, answer.text
    return answer.document


@pytest.mark.usefixtures("queued")
def test_the_cost_is_that_of_stored_games(server: Running) -> None:
    """The time of a game is measured where there are games, else scaled or computed."""
    options = {"boards": "6x7"}
    bots = {"bots": ["beta", "alpha"]}
    known = cost(server, command="match", **bots, options={**options, "games": "7200"})["cost"]
    assert known["measured"]
    assert known["machine_hours"] == pytest.approx(2 * known["game_seconds"])
    double = cost(server, command="match", **bots, options=options, amount=200)["cost"]
    assert double["game_seconds"] == pytest.approx(2 * known["game_seconds"])
    assert not double["measured"]
    thu = cost(server, command="match", **bots)["cost"]
    assert thu["game_seconds"] == pytest.approx(6.6)
    work = cost(server, command="match", **bots, kind="nodes", amount=5)
    assert work["cost"]["machine_hours"] is None
    assert "unknown" in work["sentence"]
    assert cost(server, command="run")["cost"] is None
    one = {"arguments": ["beta"], "against": ["alpha"]}
    gate = cost(server, command="gate", **one, options={"max-drop": "20"})["cost"]
    assert 1000 < gate["games"] < gate["most_games"] == 3000
    stages = cost(server, command="gate", **one, options={"stages": "20ms:500,100ms:2000"})["cost"]
    assert stages["most_games"] == 2500
    assert stages["most_machine_hours"] == pytest.approx((500 * 1.32 + 2000 * 6.6) / 3600)
    chosen = cost(server, command="select", arguments=["beta", "alpha"])
    assert chosen["cost"]["games"] is None
    assert "at most 20,000 games" in chosen["sentence"]
    clock = cost(server, command="match", **bots, options={"clock": "10s+100ms"})["cost"]
    assert clock["game_seconds"] == pytest.approx(2 * (10 + 33 * 0.1))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"command": "tune"}, "Missing argument 'SPEC'"),
        ({"command": "run", "options": {"boards": "7", "games": "2"}}, "--boards"),
        ({"command": "run", "options": {"games": "many"}}, "not a whole number"),
        ({"command": "gate", "bots": ["a"], "against": ["b"], "options": {"alpha": "2"}}, "alpha"),
        ({"command": "match", "bots": ["a", "b"], "amount": 0}, "time"),
    ],
)
def test_options_that_cannot_be_are_named(
    server: Running, body: dict[str, Any], reason: str
) -> None:
    """The form shows the sentence that the command line would print."""
    answer = server.ask("/api/queue/cost", method="POST", body=body, token=server.known_token)
    assert answer.status == 400
    assert reason in answer.document["error"]


def test_the_end_of_a_gate_is_expected_from_its_ratio(queued: League) -> None:
    """The games until the decision shrink as the ratio approaches a bound."""

    def left() -> float:
        outlook = find_outlook(queued.store, 1, lambda _: ())
        assert outlook.games_left is not None
        assert outlook.machine_s > 0
        return outlook.games_left

    before = left()
    run = queued.store.runs.find()[0]
    for _ in range(8):
        queued.pair(run, "alpha", "beta", Game("1-0"), Game("0-1"))
    assert left() < before


@pytest.mark.slow
def test_a_browser_follows_and_changes_the_queue(
    queued: League, server: Running, visit: Callable[..., Opened]
) -> None:
    """A signed-in browser has buttons, sees changes of others, and its form shows the cost."""
    secret, _ = create_token(queued.store, "root", Right.MANAGE)
    for width, scheme in ((1280, "light"), (390, "dark")):
        opened = visit(f"{server.address}queue", width=width, scheme=scheme)
        page = opened.page
        if page.locator("#sign-in").count():
            page.fill("input[name=token]", secret)
            page.click("#sign-in button")
        page.wait_for_selector("#sign-out")
        for path in ("queue", "queue/1", "queue/new"):
            page.goto(server.address + path)
            sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert page.evaluate(sideways) <= 0, path
            assert opened.violations() == "", path
        assert opened.errors == []
    page.goto(f"{server.address}queue/new")
    until(page, "document.getElementById('cost').textContent.includes('machine hours')")
    page.select_option("select[name=command]", "match")
    page.click("summary:text('What to play')")
    page.fill("input[name=games]:enabled", "10")
    until(page, "document.getElementById('cost').textContent.includes('10 games')")
    page.select_option("select[name=command]", "tune")
    until(page, "document.getElementById('cost').textContent.startsWith('Give ')")
    page.fill("input[name=SPEC]", "builtin:v18")
    page.click("summary:text('The search')")
    page.fill("textarea[name=param]", "c=0.2..1.2")
    until(page, "document.getElementById('cost').textContent.includes('8,000 games')")
    page.goto(f"{server.address}queue")
    page.click("button[data-job='2'][data-word=pause]")
    page.wait_for_selector("button[data-job='2'][data-word=resume]")
    assert queued.store.queue.get(2).state is EntryState.PAUSED
    queued.store.queue.resume(2)
    page.wait_for_selector("button[data-job='2'][data-word=pause]")
