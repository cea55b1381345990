"""The course of a bisection: commits are registered and played until the search has an answer."""

import contextlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from bots.errors import SpecError
from db.records.bots import BotRow
from db.records.pairs import PlayedPair
from db.records.run_settings import BisectSettings, StoredSearch
from db.records.runs import RunKind, RunRow, RunStatus, division_label
from db.store import Store
from engine.seeds import SEED_LIMIT, derive_seed
from ladder.errors import InvalidRun, UsageError
from ladder.experiments.bisect.history import SHORT, CommitHistory
from ladder.experiments.bisect.result import BisectResult, result_of
from ladder.experiments.bisect.search import BisectQuestion, CommitSearch
from ladder.experiments.engine import ExperimentContext, ExperimentJudge, judge_pairs, play
from ladder.match.process.sandbox import Confinement
from ladder.registry.from_spec import commit_bot, short_reason
from ladder.registry.registration import remove_unused_builds
from ladder.registry.specs.spec import BotSource
from ladder.runs.history import PastRun
from ladder.runs.lineup import Lineup, line_up
from ladder.runs.pairings import GATE, Pairing
from ladder.runs.resume import hashes_of, runs_like
from ladder.runs.settings import RunSettings, identity_hash
from ladder.signals import current_stop


def search_of(run: RunRow) -> StoredSearch | None:
    """Return the stored search that a run belongs to; None if it is part of no search."""
    return run.settings.bisect if isinstance(run.settings, BisectSettings) else None


def bisection_of(store: Store, past: PastRun) -> BisectResult | None:
    """Return the latest result of the search of a run; None if no result is readable."""
    search, found = search_of(past.row), []
    for run in store.runs.find(kind=RunKind.BISECT):
        settings = run.settings
        if search is None or not isinstance(settings, BisectSettings) or settings.bisect is None:
            continue
        if (settings.bisect.key, settings.bisect.seed) == (search.key, search.seed):
            with contextlib.suppress(msgspec.ValidationError):  # that of an earlier version
                found.append(msgspec.convert(settings.bisect_result, BisectResult))
    return max(found, key=lambda each: each.games, default=None)


class VisitJudge(ExperimentJudge):
    """Takes the pairs of the current commit of a search, whose session stores the verdicts."""

    def __init__(
        self, search: CommitSearch, names: tuple[str, str], identity: StoredSearch
    ) -> None:
        """Begin a visit.

        Args:
            search: The search.
            names: The bot of the commit, and the good one.
            identity: The description of the search, which is stored with the run.

        """
        self._search = search
        self._names = names
        self._identity = identity
        self._index = search.index
        search.enter(*names)

    @property
    def settings(self) -> Mapping[str, object]:
        """The search that the run belongs to."""
        return {"bisect": self._identity}

    @property
    def decided(self) -> bool:
        """Whether the search has left this commit, or is over."""
        return self._search.is_over or self._search.index != self._index

    @property
    def progress(self) -> str:
        """The number of suspects, and the chance that this commit has the drop."""
        search, chance = self._search, float(self._search.posterior.weaker[self._index])
        return (
            f"{search.credible_set_size} of {len(search.history.commits)} commits suspected, "
            f"{search.history.commits[self._index].commit[:SHORT]} has lost "
            f"{search.question.max_drop:g} Elo or more with a chance of {chance:.0%}"
        )

    @property
    def keeps_planned(self) -> bool:
        """Always true: planned pairs are played in the next visit, so that no number is lost."""
        return True

    def take(self, pair: PlayedPair) -> None:
        """Take a pair, unless an earlier visit did or this one is over."""
        if not self.decided and self._search.is_new(pair):
            self._search.take(pair, *self._names)


NO_LIMIT = 2**31 - 1
"""A number above that of every pair, which has 31 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bisection:
    """A bisection to be played."""

    history: CommitHistory
    source: BotSource
    """The bot, without its revision."""
    question: BisectQuestion
    settings: RunSettings
    """The conditions of play; each visit sets bots and pairing."""
    confinement: Confinement
    """The limits and sandbox for trials of bots."""


def prepare(
    store: Store, bisection: Bisection, suited: Callable[[BotRow], RunSettings]
) -> tuple[Bisection, BotRow]:
    """Register the good revision; return the bisection under conditions for it, and it as a bot.

    Args:
        store: The database.
        bisection: The bisection.
        suited: Returns its settings, on boards that a bot plays.

    Raises:
        UsageError: it cannot be built, failed its trial, or cannot play under these conditions.
        SpecError: the specification cannot be read in that revision.

    """
    try:
        good = commit_bot(store, bisection.source, bisection.history.good, bisection.confinement)
    except (UsageError, SpecError) as error:
        commit = bisection.history.good.commit[:SHORT]
        raise UsageError(f"{commit} cannot play: {error}", option="good") from error
    bisection = replace(bisection, settings=suited(good))
    line_up(store, _conditions(bisection.settings, good, good), [good])
    return bisection, good


class BisectSession:
    """One call of the command, which resumes an interrupted search."""

    def __init__(
        self,
        context: ExperimentContext,
        bisection: Bisection,
        good: BotRow,
        report: Callable[[str], None],
    ) -> None:
        """Begin a search.

        Args:
            context: The database, watcher and workforce.
            bisection: The bisection.
            good: The good revision, from `prepare`.
            report: Called with a sentence for each skipped commit.

        """
        self._context, self._good, self._report = context, good, report
        self._search = CommitSearch(bisection.history, bisection.question)
        self._bisection = bisection
        self._key = self._identity(bisection)
        self._seed = self._find_seed()
        self._options = {
            **bisection.settings.options,
            "good": bisection.history.good.commit,
            "bad": bisection.history.bad.commit,
            "seed": self._seed,
        }
        self._lineups: dict[int, Lineup] = {}
        """The bot of a commit and the good one, by index in the history."""
        self._runs: dict[int, int] = {}
        """Run ids by index in the history."""

    def play(self) -> BisectResult:
        """Search until there is an answer, or a stop.

        Raises:
            UsageError: the bad revision cannot be tested.
            InvalidRun: the good or the bad revision forfeits too often, or the machine stalls.

        """
        search = self._search
        while not search.is_over:
            current_stop().check()
            lineup = self._current_bots()
            if lineup is not None and not self._visit(lineup):
                return self._result()
            last = len(search.history.commits) - 1
            if last in self._runs:  # that of the first visit
                kept = msgspec.to_builtins(self._result())
                self._context.store.runs.change_settings(self._runs[last], bisect_result=kept)
            if last in search.skipped:
                raise InvalidRun(f"the bad revision cannot be tested: {search.skipped[last]}")
        if search.failing_good:
            raise InvalidRun(f"the good revision cannot be tested: {search.failing_good}")
        result = self._result()
        self._close(result)
        return result

    def _result(self) -> BisectResult:
        label = division_label(self._bisection.settings.division())
        return result_of(self._search, conditions=label, seed=self._seed)

    def _current_bots(self) -> Lineup | None:
        """Return the bots of the current commit; None if the commit had to be skipped."""
        search, bisection = self._search, self._bisection
        index = search.index
        if index in self._lineups:
            return self._lineups[index]
        commit = search.history.commits[index]
        try:
            row = commit_bot(self._context.store, bisection.source, commit, bisection.confinement)
            conditions = _conditions(bisection.settings, row, self._good)
            lineup = line_up(self._context.store, conditions, [row, self._good])
        except (UsageError, SpecError) as error:
            reason = short_reason(str(error))
            if index == len(search.history.commits) - 1:
                bad = commit.commit[:SHORT]
                raise UsageError(f"{bad} cannot be tested: {error}", option="bad") from error
            self._report(f"{commit.commit[:SHORT]} is skipped: {reason}")
            search.skip(reason)
            return None
        self._lineups[index] = lineup
        return lineup

    def _visit(self, lineup: Lineup) -> bool:
        """Play the current commit until the search turns elsewhere; return False after a stop."""
        search, index = self._search, self._search.index
        commit = search.history.commits[index]
        row, good = lineup.bots
        names = (row.name, good.name)
        settings = replace(
            lineup.settings,
            seed=derive_seed(self._seed, int(commit.commit[:12], 16)),
            options=self._options,
        )
        hashes = hashes_of(lineup.bots)
        judge = judge_pairs(
            VisitJudge(search, names, self._describe(commit.commit)),
            self._stored_pairs(settings, hashes),
        )
        if not judge.decided:
            end = play(self._context, replace(lineup, settings=settings), judge)
            if end.invalid:
                self._skip_failing(end.invalid, judge, names)
            elif end.unfinished:
                return False
        for run in runs_like(self._context.store, settings, hashes)[:1]:
            self._runs[index] = run.id
        if index in search.skipped:
            self._report(f"{commit.commit[:SHORT]} is skipped: {search.skipped[index]}")
        return True

    def _skip_failing(self, why: str, judge: VisitJudge, names: tuple[str, str]) -> None:
        """Skip the current commit after an invalid run, unless its pairs have decided before.

        Raises:
            InvalidRun: the run is invalid for another reason than this commit.

        """
        if judge.decided:
            return
        failures = self._search.tested[self._search.index].forfeits.by_bot
        ours, theirs = (sum(failures[name].values()) for name in names)
        if theirs or not ours:
            raise InvalidRun(why)
        self._search.skip(short_reason(why))

    def _stored_pairs(
        self, settings: RunSettings, hashes: Mapping[str, str]
    ) -> Sequence[PlayedPair]:
        """Return the finished pairs of a stored stream before its first unfinished one."""
        pairs = self._context.store.pairs
        for run in runs_like(self._context.store, settings, hashes):
            stop = next(iter(pairs.planned_numbers(run.stream, below=NO_LIMIT)), NO_LIMIT)
            return pairs.of_stream(run.stream, start=0, stop=stop)
        return ()

    def _close(self, result: BisectResult) -> None:
        """Finish the runs of the search, each with the verdict on its commit.

        The files of its bots, which are retired, are not needed any more.
        """
        verdicts = {each.commit.commit: each.verdict for each in result.tried}
        for index, run_id in self._runs.items():
            verdict = verdicts[self._search.history.commits[index].commit]
            self._context.store.runs.set_status(run_id, RunStatus.FINISHED)
            self._context.store.runs.set_verdict(run_id, verdict.value)
        played = [self._good, *(lineup.bots[0] for lineup in self._lineups.values())]
        rows = [row for row in played if row.retired_at is not None]
        self._context.store.bots.drop_archives([row.revision.id for row in rows])
        remove_unused_builds(self._context.store, rows)

    def _identity(self, bisection: Bisection) -> str:
        """Return a hash that is equal for searches that can use each other's games."""
        conditions = replace(bisection.settings, bots=(), pairing=Pairing(GATE))
        return identity_hash(
            {
                "spec": bisection.source.spec,
                "build": bisection.source.build,
                "good": self._good.revision.content_hash,
                "conditions": conditions.identity({}),
            }
        )

    def _find_seed(self) -> int:
        """Return the given seed, else that of an earlier search to resume, else a random one."""
        if (given := self._bisection.settings.seed) is not None:
            return given
        for run in self._context.store.runs.find(kind=RunKind.BISECT):
            if (search := search_of(run)) is not None and search.key == self._key:
                return search.seed
        return secrets.randbelow(SEED_LIMIT)

    def _describe(self, commit: str) -> StoredSearch:
        history = self._bisection.history
        return StoredSearch(
            key=self._key,
            seed=self._seed,
            spec=self._bisection.source.spec,
            commit=commit,
            good=history.good.commit,
            bad=history.bad.commit,
        )


def _conditions(settings: RunSettings, candidate: BotRow, good: BotRow) -> RunSettings:
    """Return the settings of the games between a commit and the good one."""
    return replace(
        settings,
        bots=tuple(dict.fromkeys((candidate.name, good.name))),
        pairing=Pairing(GATE, candidate.name, (good.name,)),
    )
