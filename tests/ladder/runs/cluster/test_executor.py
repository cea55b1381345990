"""Pairs as Dask tasks: what becomes of results, refusals, deaths and cancelled pairs."""

import contextlib
import pickle
import shutil
import subprocess
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from distributed import Client, KilledWorker, LocalCluster, get_worker

from bots.protocol import Budget
from db.records.launch import Restart, Start
from db.records.pairs import Entrant, PairPlan, PairRecord, PlannedPair
from engine.result import Termination
from engine.seeds import SplitMix
from ladder.errors import InvalidRun, LadderError, UsageError
from ladder.match.process.worker_pool import WorkerDied
from ladder.registry.specs.spec import BotSource, pack_bot
from ladder.runs.cluster import tasks
from ladder.runs.cluster.endpoint import Endpoint, parse_endpoint
from ladder.runs.cluster.executor import ClusterExecutor
from ladder.runs.cluster.slot import pack_bundle
from ladder.runs.cluster.tasks import Refusal, is_task_wanted
from tests.db.disks import small_disk
from tests.ladder.runs.conftest import SETTINGS
from tests.support.cluster import QUIET
from tests.support.data.pairs import bot_row
from tests.support.data.random_games import random_record

SIDES = tuple(
    Entrant(number, name, Start(argv=("x",), folder="/"), Budget(simulations=1))
    for number, name in enumerate("abc", start=1)
)


def plan_of(number: int, a: int = 0, b: int = 1) -> PairPlan:
    pair = PlannedPair(a + 1, b + 1, "4x4", "4x4", (), 1000 + number, number, number + 1)
    return PairPlan(pair, SIDES[a], SIDES[b])


def by_seed(plan: PairPlan) -> PairRecord:
    return random_record(plan, SplitMix(plan.pair.seed))


def call(function: Callable[[PairPlan], Any], *arguments: Any) -> Any:
    """Call a function in place of `tasks.play`, with the plan of the pair."""
    return function(pickle.loads(arguments[-1]))  # noqa: S301


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    """Return a scheduler with two workers of two slots in this process."""
    with LocalCluster(
        n_workers=2, threads_per_worker=3, memory_limit=0, resources={tasks.RESOURCE: 2}, **QUIET
    ) as cluster:
        yield parse_endpoint(cluster.scheduler.address, None, None, None, option="cluster")
    tasks.slots.end_idle()


class Played:
    """An executor with a task of its own, and the futures of its pairs."""

    def __init__(self, endpoint: Endpoint, task: Callable[..., Any], **options: Any) -> None:
        self.executor = ClusterExecutor(endpoint, b"", task=partial(call, task), **options)
        self.warnings: list[str] = []

    def submit(self, *plans: PairPlan) -> list["Future[PairRecord]"]:
        return [self.executor.submit(plan) for plan in plans]

    def until(self, ready: Callable[[], bool]) -> None:
        """Collect results until something has happened; only a test that fails waits long."""
        deadline = time.monotonic() + 120
        while not ready():
            assert time.monotonic() < deadline, self.warnings
            self.executor.wait(0.05)
            self.warnings += [each.sentence for each in self.executor.events() if each.is_warning]

    def results(self, *plans: PairPlan) -> list[Any]:
        """Return the records or exceptions of pairs."""
        futures = self.submit(*plans)
        self.until(lambda: all(each.done() for each in futures))
        return [each.exception() or each.result() for each in futures]


@pytest.fixture
def start(endpoint: Endpoint) -> Iterator[Callable[..., Played]]:
    """Return a function that starts an executor."""
    made: list[Played] = []

    def make(task: Callable[..., Any], **options: Any) -> Played:
        made.append(Played(endpoint, task, **options))
        return made[-1]

    yield make
    for each in made:
        each.executor.close()


def not_on_first(plan: PairPlan) -> PairRecord | Refusal:
    """Refuse on the worker that gets a pair first."""
    address = get_worker().address
    if REFUSING.setdefault("first", address) == address:
        return Refusal(address, "zero", "it cannot host c: no interpreter")
    return by_seed(plan)


def nothing(_: PairPlan) -> Refusal:
    return Refusal(get_worker().address, "lab", "its disk is full")


def by_number(plan: PairPlan) -> PairRecord:
    """Fail by the number of the pair: 0 always kills, 1 once, 2 loses its slot, 3 is a defect."""
    number = plan.pair.number
    attempt = int(str(get_worker().get_current_task()).rpartition("-")[2])
    ATTEMPTS.setdefault(number, []).append(attempt)
    if number == 0 or (number == 1 and len(ATTEMPTS[1]) == 1):
        raise KilledWorker("task", SimpleNamespace(address="tcp://lab1"), 3)
    if number == 2:
        raise WorkerDied
    if number == 3:
        raise ModuleNotFoundError("No module named 'ladder'")
    return by_seed(plan)


ATTEMPTS: dict[int, list[int]] = {}
REFUSING: dict[str, str] = {}
BEGUN, UNWANTED = threading.Event(), threading.Event()


def long(plan: PairPlan) -> PairRecord:
    """Play pair 0 until it is not wanted any more."""
    if plan.pair.number == 0:
        BEGUN.set()
        while is_task_wanted():
            time.sleep(0.02)
        UNWANTED.set()
    return by_seed(plan)


@pytest.mark.slow
def test_results_come_back_and_refused_pairs_are_played_elsewhere(
    start: Callable[..., Played],
) -> None:
    """A worker that cannot host a bot is named once; if no worker can, the run ends."""
    plans = [plan_of(number, 0, 1 + number % 2) for number in range(40)]
    expected = [by_seed(plan) for plan in plans]
    assert start(by_seed).results(*plans) == expected
    partly = start(not_on_first)
    assert partly.results(*plans) == expected
    (warning,) = partly.warnings
    assert "the worker zero (tcp:" in warning
    assert warning.endswith("takes no part: it cannot host c: no interpreter")
    with pytest.raises(UsageError, match="no worker can play this run: lab: its disk is full"):
        start(nothing, hostless_s=1.0).results(plan_of(0))


@pytest.mark.slow
def test_pairs_that_kill_their_workers(start: Callable[..., Played]) -> None:
    """A pair gets a second task under a new key, then its bots are named."""
    ATTEMPTS.clear()
    deadly, saved, slotless, defect = start(by_number).results(*map(plan_of, range(4)))
    assert isinstance(deadly, InvalidRun)
    assert "pair 0, a against b" in str(deadly)
    assert isinstance(saved, PairRecord)
    assert isinstance(slotless, WorkerDied)
    assert isinstance(defect, LadderError)
    assert "No module named 'ladder'" in str(defect)
    assert sorted(map(len, ATTEMPTS.values())) == [1, 1, 2, 2]
    assert len({each for attempts in ATTEMPTS.values() for each in attempts}) == 6


@pytest.mark.slow
def test_a_pair_in_play_notices_that_it_is_cancelled(start: Callable[..., Played]) -> None:
    """The slot of a pair that is not wanted must be free for others."""
    playing = start(long)
    (future,) = playing.submit(plan_of(0))
    assert BEGUN.wait(60)
    assert future.cancel()
    assert UNWANTED.wait(60)
    assert playing.results(plan_of(1)) == [by_seed(plan_of(1))]


@pytest.mark.slow
def test_another_version_is_refused_in_a_sentence(endpoint: Endpoint) -> None:
    """A worker compares the versions before it reads anything else."""
    with Client(endpoint.address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        theirs: Mapping[str, str] = {**tasks.own_versions(), "sources": "0" * 16}
        answer = client.submit(tasks.play, theirs, "key", b"", b"", pure=False).result()
    assert isinstance(answer, Refusal)
    assert "it has another version (sources " in answer.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("program", "it cannot host a: its program /nowhere/python3 is missing: install it"),
        ("start", "it cannot host a: exited with status 3 when asked for hello"),
        ("content", "the archive is damaged in the database: bot.py is not what was stored"),
        ("room", "3 MiB cannot be unpacked: No space left on device: free some room, or set"),
    ],
)
def test_a_worker_that_cannot_host_a_bot_says_why(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, sentence: str
) -> None:
    """A missing program, a bot that ends, a damaged archive, a full disk: others play then."""
    folder, caches = tmp_path / "bot", (tmp_path / "ours", tmp_path / "theirs")
    folder.mkdir()
    (folder / "bot.py").write_text("raise SystemExit(3)\n")
    (folder / "weights.bin").write_bytes(Random(1).randbytes(3 << 20))
    monkeypatch.setenv("LADDER_CACHE", str(caches[0]))
    launch = pack_bot(BotSource("exec:python3 bot.py", folder)).launch
    if fault == "program":
        launch = msgspec.structs.replace(launch, program="/nowhere/python3", command=("./python3",))
    row = bot_row(1, "a")
    row = replace(row, revision=replace(row.revision, launch=launch))
    bundle = pack_bundle(replace(SETTINGS, pin=False), [row], SIDES[:1])
    if fault == "content":
        sent, archives = pickle.loads(bundle)  # noqa: S301
        for _, contents in archives.values():
            contents.update(dict.fromkeys(contents, zlib.compress(b"other")))
        bundle = pickle.dumps((sent, archives))
    monkeypatch.setenv("LADDER_CACHE", str(caches[1]))
    with contextlib.ExitStack() as stack:
        if fault == "room":
            stack.enter_context(small_disk(caches[1], mib=2))
        client = stack.enter_context(Client(endpoint.address, set_as_default=False))  # type: ignore[no-untyped-call]
        answer = client.submit(
            tasks.play, tasks.own_versions(), fault, bundle, pickle.dumps(plan_of(0)), pure=False
        ).result()
    assert isinstance(answer, Refusal)
    assert sentence in answer.reason, answer.reason
    assert "\n" not in answer.reason


BOT = """
import json, sys
ANSWERS = {"hello": {"type": "hello", "name": "a", "version": "1", "budgets": ["any"]},
           "new_game": {"type": "ready"}}
for line in sys.stdin:
    question = json.loads(line)
    if question["type"] == "move":
        column = next(each for each in range(4) if question["moves"].count(each) < 4)
        print(json.dumps({"type": "move", "column": column}), flush=True)
    elif question["type"] in ANSWERS:
        print(json.dumps(ANSWERS[question["type"]]), flush=True)
"""


@pytest.mark.slow
def test_a_worker_whose_cache_is_emptied_unpacks_the_bots_again(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is its own fault: the pair is played there, no bot loses, and the worker stays."""
    folder, caches = tmp_path / "bot", (tmp_path / "ours", tmp_path / "theirs")
    folder.mkdir()
    (folder / "bot.py").write_text(BOT)
    monkeypatch.setenv("LADDER_CACHE", str(caches[0]))
    launch = pack_bot(BotSource("exec:python3 bot.py", folder)).launch
    rows = [bot_row(side.revision, side.name) for side in SIDES[:2]]
    rows = [replace(row, revision=replace(row.revision, launch=launch)) for row in rows]
    sides = [msgspec.structs.replace(side, restart=Restart.GAME) for side in SIDES[:2]]
    bundle = pack_bundle(replace(SETTINGS, pin=False), rows, sides)
    monkeypatch.setenv("LADDER_CACHE", str(caches[1]))
    plan = msgspec.structs.replace(plan_of(0), a=sides[0], b=sides[1])
    words = (tasks.own_versions(), "emptied", bundle, pickle.dumps(plan))
    with Client(endpoint.address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        (worker, _) = client.scheduler_info()["workers"]
        found = []
        for _ in range(2):
            found.append(client.submit(tasks.play, *words, workers=[worker], pure=False).result())
            subprocess.run(["chmod", "-R", "u+w", str(caches[1])], check=True)
            shutil.rmtree(caches[1])
    for record in found:
        assert isinstance(record, PairRecord), record
        assert [game.termination for game in record.games] == [Termination.FOUR_IN_A_ROW] * 2
