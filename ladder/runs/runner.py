"""The runner: has pairs played and stores each at its end, until told to stop.

The coordinator is the only writer of its run. `ladder.runs.pair_queue` decides which pair is next.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import chain

from db.records.games import GameRecord
from db.records.pairs import (
    Entrant,
    FinishedPair,
    PairOutcome,
    PairPlan,
    PairRecord,
)
from db.records.runs import (
    RunRow,
    RunStatus,
)
from db.store import Store
from engine.result import Result
from ladder.errors import InvalidRun
from ladder.match.process.failures import in_one_line
from ladder.match.process.worker_pool import WorkerDied
from ladder.runs.decision import (
    Decision,
    Judge,
    played_pair,
)
from ladder.runs.executor import NoHost, PairExecutor
from ladder.runs.pair_queue import PairQueue
from ladder.runs.progress import (
    LiveBot,
    LiveRun,
    RunEnding,
    Watcher,
    title_of,
)
from ladder.runs.roster import Roster
from ladder.runs.schedule import Schedule
from ladder.runs.settings import Settings
from ladder.runs.stalls import Stalls
from ladder.signals import is_stop_wished
from ladder.stats.sequential_elo import START, rate_pair

TICK_S = 0.2
"""How often the watcher is told that time has passed, at least."""
DEATHS_IN_A_ROW = 5
"""Deaths of workers without a stored pair between them, after which the run is given up."""
DEATHS_OVER_A_PAIR = 10
"""Deaths of workers while one and the same pair was in play, after which it is given up too."""


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The end of a run: how it stands in the database, and why it ended."""

    run: RunRow
    ending: RunEnding
    live: LiveRun


class Runner:
    """Plays one run to its end. Used once."""

    def __init__(
        self,
        *,
        store: Store,
        run: RunRow,
        settings: Settings,
        schedule: Schedule,
        entrants: Mapping[str, Entrant],
        workers: PairExecutor,
        watcher: Watcher,
        judge: Judge | None = None,
        adopt: Callable[[], int] = lambda: 0,
    ) -> None:
        """Nothing is played before `play`.

        Args:
            store: the open database.
            run: the run, stored as running.
            settings: what was asked for.
            schedule: the stream of pairs, over the names in `entrants`.
            entrants: every bot of the run by name.
            workers: plays the pairs; closed by `play`.
            watcher: is told what happens.
            judge: sees the run's finished pairs in the order of their numbers, those of former
                sessions included, and ends the run when it has decided.
            adopt: takes over the planned pairs of dead runs of the same stream; how many.

        """
        self._store = store
        self._run = run
        self._settings = settings
        self._entrants = entrants
        self._workers = workers
        self._watcher = watcher
        self._decision = Decision(judge)
        self._playing: dict[Future[PairRecord], PairPlan] = {}
        self._done: list[Future[PairRecord]] = []
        """Those that workers are done with, or that were cancelled, and that are not collected;
        filled in this thread, by `submit`, `wait` and `cancel`."""
        self._live = self._start_live()
        self._roster = Roster(self._live.bots, indispensable=self._indispensable())
        self._queue = PairQueue(
            store=store,
            run=run,
            settings=settings,
            schedule=schedule,
            entrants=entrants,
            adopt=adopt,
            roster=self._roster,
            decision=self._decision,
        )
        self._deaths = 0
        self._deaths_over: Counter[int] = Counter()
        self._stalls = Stalls()

    def play(self) -> RunOutcome:
        """Play until the target is reached or a stop is asked for.

        The run's status is stored whatever happens; pairs in play at a stop stay planned.

        Raises:
            InvalidRun: bots fail or the machine stalls so that the run means nothing.

        """
        self._watcher.started(self._live)
        self._store.patience.tell = self._warn
        if self._time_is_up():
            self._warn(f"nothing is left of --hours: run {self._run.id} has been played for longer")
        status = RunStatus.INTERRUPTED
        try:
            self._queue.load()
            if self._decision.is_asked:
                for pair in self._store.pairs.of_run(self._run.id):
                    self._decision.add(pair)
            ending = self._live.ending = self._loop()
            if ending is RunEnding.DONE:
                if not self._decision.keeps_planned:  # else a later session resumes it
                    status = RunStatus.FINISHED
                self._decision.consider(())  # a target of fewer games than were begun owes none
        except InvalidRun:
            status = RunStatus.INVALID
            self._decision.consider(())  # what is still in play will never be finished
            raise
        finally:
            if self._live.ending is RunEnding.DONE and not self._playing:
                self._workers.close()
            else:
                self._workers.kill()
            self._pass_on_news()
            if status is RunStatus.FINISHED:
                self._store.runs.finish(self._run.id)
            else:
                self._store.runs.set_status(self._run.id, status)
            self._watcher.ended(self._live)
        run = replace(self._store.runs.get(self._run.id), status=status)
        return RunOutcome(run, ending, self._live)

    def _loop(self) -> RunEnding:
        while True:
            if is_stop_wished():
                return RunEnding.STOPPED
            if self._time_is_up():
                return RunEnding.DONE
            self._consider()
            self._live.progress = self._decision.progress
            self._live.games_left = self._decision.games_left
            if self._decision.is_reached:
                self._let_go()
            depends = self._hand_out()
            if self._playing:
                self._workers.wait(TICK_S)
                done = [future for future in self._done if future in self._playing]
                self._done.clear()
                self._hand_out(done=len(done))  # nobody waits for work while we wait for the disk
                self._collect(done)
                self._look_at_workers()
            elif depends:
                time.sleep(TICK_S)  # another process plays what the next batch depends on
            else:
                return RunEnding.DONE
            self._watcher.tick(self._live)

    def _consider(self) -> None:
        """Show the judge all pairs before the first unfinished one."""
        while True:
            self._decision.consider(self._owed())
            if not self._queue.recall(plan.number for plan in self._playing.values()):
                return

    def _look_at_workers(self) -> None:
        """Note how many pairs can be in play now, and what happened to the machines."""
        self._live.workers = self._workers.slots
        self._pass_on_news()

    def _pass_on_news(self) -> None:
        for sentence, is_warning in self._workers.news():
            if is_warning:
                self._warn(sentence)
            else:
                self._watcher.told(self._live, sentence)

    def _owed(self) -> Iterator[int]:
        """The numbers of the pairs that are planned and not finished."""
        return chain(self._queue.numbers(), (plan.number for plan in self._playing.values()))

    def _let_go(self) -> None:
        """Begin no more pairs, after the decision: those in play are played out and stored."""
        cancelled = [future for future in self._playing if future.cancel()]
        plans = [self._playing.pop(future) for future in cancelled]
        if not self._decision.keeps_planned:
            self._queue.drop(plans)

    def _hand_out(self, done: int = 0) -> bool:
        """Keep every worker busy and pairs ready behind each, but begin none past the target.

        Says whether there is more to begin that depends on pairs which are not finished.

        Args:
            done: how many of the pairs in play their workers are done with.

        """
        room = self._workers.room + done
        while not self._decision.is_reached and len(self._playing) < room:
            wanted = self._pairs_wanted()
            if wanted is not None and wanted <= 0:
                return False  # what a run without a target has planned beyond it stays planned
            plan = self._queue.take(wanted=wanted, in_play=len(self._playing))
            if plan is None:
                return self._queue.is_blocked
            plan = self._roster.briefed(plan)
            future = self._workers.submit(plan)
            self._playing[future] = plan
            future.add_done_callback(self._done.append)
        return False

    def _pairs_wanted(self) -> int | None:
        """How many more pairs are to be begun; None without a limit."""
        target = self._live.target_games
        if target is None:
            return None
        missing = target + self._decision.surplus - self._live.total_games
        wanted = (missing + 1) // 2 - len(self._playing)
        if not self._playing and self._decision.holds_pairs:
            return max(1, wanted)  # the judge waits for an earlier pair
        return wanted

    # Collecting.

    def _collect(self, done: Sequence["Future[PairRecord]"]) -> None:
        """Take in the pairs that workers are done with; those that were played share a commit."""
        came: list[tuple[PairPlan, PairRecord]] = []
        hostless: dict[str, str] = {}
        died = False
        for future in sorted(done, key=lambda each: self._playing[each].number):
            plan = self._playing.pop(future)
            try:
                came.append((plan, future.result()))
            except WorkerDied:
                died = True
                self._deaths_over[plan.number] += 1
                self._queue.put_back(plan)
            except NoHost as error:
                hostless |= error.reasons
                self._queue.put_back(plan)
        whole = [(plan, record) for plan, record in came if record.games]
        stored = iter(self._store.pairs.finish_all(whole, rate_pair))
        for plan, record in came:
            self._live.aborted_games += record.aborts
            if record.changed:
                self._watch(self._roster.note_changed(plan, record))  # the pair stays planned
                continue
            if record.games:
                self._count_pair(plan, record, next(stored))
            else:
                self._give_up(plan, record)
            self._watch(self._roster.note_pondering(plan, record))
            self._watch(self._roster.note_starts(plan, record))
            self._watch(self._roster.charge_lateness(self._stalls.note(plan, record)))
        self._watch(self._roster.leave_out(hostless, self._live))
        if died:
            self._note_deaths()

    def _count_pair(self, plan: PairPlan, record: PairRecord, finished: FinishedPair) -> None:
        """Note a pair that was handed in."""
        if finished.outcome is not PairOutcome.STORED:
            self._warn(f"pair {plan.number} was not stored: it is {finished.outcome} already")
            return
        self._deaths = 0
        live = self._live
        for entrant, rating in ((plan.a, finished.a), (plan.b, finished.b)):
            if rating is not None:
                live.bots[entrant.name].elo = rating.elo
        for game, game_id in zip(record.games, finished.game_ids, strict=True):
            first, second = (plan.b, plan.a) if game.swapped else (plan.a, plan.b)
            for entrant, result in ((first, game.result), (second, game.result.mirrored)):
                live.count_results(
                    entrant.name,
                    wins=result is Result.WIN,
                    draws=result is Result.DRAW,
                    losses=result is Result.LOSS,
                )
                if result is Result.LOSS and game.termination.is_forfeit:
                    self._note_forfeit(entrant.name, game, game_id)
        live.count(len(record.games))
        if self._decision.is_asked:
            self._decision.add(played_pair(plan, record))
        self._watcher.pair_finished(live, record)

    def _note_forfeit(self, bot: str, game: GameRecord, game_id: int) -> None:
        """Count a forfeit, and say the first of each kind of each bot at once."""
        forfeits = self._live.count_forfeits(
            bot, game.termination, games=1, game=game_id, cause=in_one_line(game.detail)
        )
        if forfeits.games == 1:
            kind = game.termination.replace("_", " ")
            self._warn(f"{bot} lost game {game_id} by {kind}: {in_one_line(game.detail)}")

    def _give_up(self, plan: PairPlan, record: PairRecord) -> None:
        """The machine did not let a pair be played; it stays planned."""
        self._store.pairs.note_aborts(plan.id, record.aborts)
        self._warn(f"pair {plan.number} was given up: {record.abort_reason}")

    def _note_deaths(self) -> None:
        """Workers have died, each in a pair that is in the queue again; others take their place."""
        self._deaths += 1
        number, deaths = max(self._deaths_over.items(), key=lambda item: item[1])
        if self._deaths >= DEATHS_IN_A_ROW or deaths >= DEATHS_OVER_A_PAIR:
            raise InvalidRun(
                f"worker processes keep dying, {deaths} times while pair {number} was in play: "
                "look for a full memory or a killing process, then run the same command to go on"
            )
        self._warn(
            "a worker process died; it is replaced and the pair that it was at is played again"
        )

    def _watch(self, sentences: Iterable[str]) -> None:
        """Say what was seen of bots, and see that enough of them are not paused."""
        for sentence in sentences:
            self._warn(sentence)
            self._roster.check_enough()

    # The rest.

    def _indispensable(self) -> frozenset[str]:
        """The bots without any one of which the run has no pair left to play."""
        if self._decision.is_asked:  # the decision is about these bots: none can be spared
            return frozenset(self._entrants)
        candidate = self._settings.pairing.candidate
        return frozenset() if candidate is None else frozenset((candidate,))

    def _time_is_up(self) -> bool:
        deadline = self._live.deadline
        return deadline is not None and time.monotonic() >= deadline

    def _warn(self, sentence: str) -> None:
        self._live.warnings.append(sentence)
        self._watcher.warned(self._live, sentence)

    def _start_live(self) -> LiveRun:
        ratings: dict[int, float] = {
            row.revision: row.elo for row in self._store.aggregate.ratings(self._run.division_id)
        }
        bots = {}
        for name, entrant in self._entrants.items():
            elo = ratings.get(entrant.revision, START)
            bots[name] = LiveBot(name, elo, elo)
        seconds = self._settings.seconds
        live = LiveRun(
            run_id=self._run.id,
            seed=self._run.seed,
            title=title_of(self._settings),
            target_games=self._settings.target_games,
            games_before=self._store.games.count(self._run.id),
            bots=bots,
            is_rated=self._run.rated,
            workers=self._workers.slots,
            playing=self._playing,
        )
        played_s = self._count_former(live) if live.games_before else 0.0
        if seconds is not None:
            live.deadline = time.monotonic() + seconds - played_s
        return live

    def _count_former(self, live: LiveRun) -> float:
        """Count the games of interrupted sessions; the seconds for which they played."""
        names = {entrant.revision: name for name, entrant in self._entrants.items()}
        tally = self._store.tallies.of_run(self._run.id)
        for side in tally.sides:
            bot = names[side.revision]
            live.count_results(bot, wins=side.wins, draws=side.draws, losses=side.losses)
        for one in tally.forfeits:
            bot = names[one.revision]
            live.count_forfeits(
                bot, one.termination, games=one.games, game=one.game, cause=one.detail
            )
        return tally.played_s
