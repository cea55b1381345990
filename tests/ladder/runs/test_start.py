"""Runs from their settings to their end, with workers that play at random in this process."""

import time
from concurrent.futures import Future
from dataclasses import replace

import msgspec
import pytest

from db.records.games import GameQuery
from db.records.pairs import PairPlan, PairRecord
from db.store import Store
from engine.result import Result, Termination
from engine.seeds import SplitMix
from ladder.match.process.sandbox import Confinement
from ladder.runs.executor import PairExecutor
from ladder.runs.live import LiveRun, RunEnding
from ladder.runs.resume import resumable_runs
from ladder.runs.start import ThisMachine
from reports.run import RunView, forfeit_lines
from tests.ladder.runs.conftest import SETTINGS, Stopper, play
from tests.support.data.random_games import random_record
from tests.support.instant_workforce import InstantWorkers


class Recorder(Stopper):
    """A watcher that records how a run began, too."""

    live: LiveRun | None = None
    games_at_start: list[int]

    def started(self, live: LiveRun) -> None:
        self.live = live
        self.games_at_start = [bot.results.games for bot in live.bots.values()]


@pytest.mark.slow
def test_headline_and_table_of_a_resumed_run_agree(store: Store) -> None:
    """Both hold the games of interrupted sessions, from the start."""
    stopped = play(store, SETTINGS, Recorder(stop_after=4))
    assert stopped.ending is RunEnding.STOPPED
    assert "the same command resumes run 1" in RunView().ending(stopped.live)[-1]
    recorder = Recorder()
    resumed = play(store, SETTINGS, recorder)
    assert recorder.games_at_start == [8, 8]
    assert (
        RunView()
        .title(resumed.live)[0]
        .startswith("resuming run 1 (8 games), seed 1: random, stupid, random pairs, 4x4")
    )
    assert resumed.live.total_games == 20
    for bot in resumed.live.bots.values():
        assert bot.results.games == 20
    assert resumed.ending is RunEnding.DONE
    assert len(RunView().ending(resumed.live)) == 1


@pytest.mark.slow
def test_the_logs_are_shared_out_over_the_workers(store: Store) -> None:
    """All logs of a run together respect their limit."""
    given: list[tuple[int, Confinement]] = []

    def workers(count: int, *, confinement: Confinement, **_: object) -> PairExecutor:
        given.append((count, confinement))
        return InstantWorkers()

    play(store, replace(SETTINGS, concurrency=4), Recorder(), workforce=ThisMachine(workers))
    assert [(count, each.log_bytes >> 20) for count, each in given] == [(4, 16)]


@pytest.mark.slow
def test_a_resumed_run_has_what_is_left_of_its_hours(store: Store) -> None:
    """The time for which games were in play counts, and pauses between sessions do not."""
    hours = replace(SETTINGS, games=None, seconds=3600.0)
    play(store, hours, Recorder(stop_after=4))
    games = list(store.games.stream(GameQuery(run_id=1)))
    first, last = (games[place].started_at for place in (0, -1))
    assert first == last  # `random_record` starts every game at one and the same time
    pairs = zip(games[::2], games[1::2], strict=True)
    played_s = max(one.duration_us + other.duration_us for one, other in pairs) / 1e6
    assert store.pairs.played_s(1) == pytest.approx(played_s)
    resumed = play(store, hours, Recorder(stop_after=1))
    assert resumed.live.deadline is not None
    assert resumed.live.deadline - time.monotonic() < 3600 - played_s
    rest = replace(hours, seconds=played_s / 2)
    recorder = Recorder()
    assert play(store, rest, recorder).ending is RunEnding.DONE
    assert recorder.pairs == 0
    assert recorder.live is not None
    assert "no time is left" in recorder.live.warnings[0]


class SteppedClockWorkers(InstantWorkers):
    """Workers that play one pair after the other, on a clock that is set after two of them."""

    def __init__(self, step_s: float) -> None:
        self._now, self._step_s = 1e9, step_s

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        future: Future[PairRecord] = Future()
        record = random_record(plan, SplitMix(plan.pair.seed), started=self._now)
        self._now += sum(game.duration_us for game in record.games) / 1e6
        if plan.pair.number == 1:
            self._now += self._step_s
        future.set_result(record)
        return future


@pytest.mark.slow
@pytest.mark.parametrize(("step_s", "least"), [(86400.0, 1.0), (-86400.0, 1.0), (-1.0, 0.7)])
def test_a_step_of_the_clock_takes_no_hours_from_a_run(
    store: Store, step_s: float, least: float
) -> None:
    """A resumed run has at least the time that is left; a small step back may give it more."""
    hours = replace(SETTINGS, games=None, seconds=3600.0)
    play(store, hours, Recorder(stop_after=4), lambda: SteppedClockWorkers(step_s))
    games = store.games.stream(GameQuery(run_id=1))
    whole_s = sum(game.duration_us for game in games) / 1e6
    played_s = store.pairs.played_s(1)
    assert least * whole_s - 0.001 <= played_s <= whole_s + 0.001


class ForfeitingWorkers(InstantWorkers):
    """Whoever moves second loses the first game of each pair by a crash."""

    def submit(self, plan: PairPlan) -> "Future[PairRecord]":
        future: Future[PairRecord] = Future()
        record = random_record(plan, SplitMix(plan.pair.seed))
        crash = msgspec.structs.replace(
            record.games[0],
            result=Result.WIN,
            termination=Termination.CRASH,
            detail=f"exited with status {plan.pair.number}",
        )
        future.set_result(msgspec.structs.replace(record, games=(crash, record.games[1])))
        return future


def test_forfeits_are_reported_with_cause_and_game(store: Store) -> None:
    """Each bot and kind has a line at the end with its number of games; the first is a warning.

    Those of interrupted sessions belong to it.
    """
    play(store, SETTINGS, Recorder(stop_after=4), ForfeitingWorkers)
    live = play(store, SETTINGS, Recorder(), ForfeitingWorkers).live
    offenders = store.games.stream(GameQuery(run_id=1))
    crashes = [game for game in offenders if game.termination is Termination.CRASH]
    assert len(crashes) == 10
    lines = forfeit_lines(live)
    assert RunView().ending(live)[1:] == lines
    for name, line in zip(("random", "stupid"), lines, strict=True):
        own = [game for game in crashes if game.second == name]
        assert line == (
            f"{name} forfeited {len(own)} games by crash, first game {own[0].id}: {own[0].detail}"
        )


@pytest.mark.slow
def test_a_run_whose_bots_have_changed_is_not_listed(store: Store) -> None:
    """No command can resume it."""
    play(store, replace(SETTINGS, options={"command": "run"}), Recorder(stop_after=2))
    assert len(resumable_runs(store)) == 1
    store.bots.retire("stupid")
    assert resumable_runs(store) == []
