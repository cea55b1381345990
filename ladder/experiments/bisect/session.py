"""Running a bisection: commits taken in, visited and left until the search has its answer."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace

from bots.errors import SpecError
from db.records.bots import BotRow
from db.records.runs import RunKind, RunStatus, division_label
from db.store import Store
from engine.seeds import SEED_LIMIT, derive_seed
from ladder.errors import InvalidRun, UsageError
from ladder.experiments.bisect.history import SHORT, History
from ladder.experiments.bisect.judge import SETTINGS, VisitJudge
from ladder.experiments.bisect.question import Question
from ladder.experiments.bisect.result import BisectResult, result_of
from ladder.experiments.bisect.search import Search
from ladder.match.process.confinement import Confinement
from ladder.match.registry.commit_bots import CommitBots, commit_bot
from ladder.runs.executor import Workforce
from ladder.runs.progress import RunEnding, Watcher
from ladder.runs.schedule import Pairing, PairingKind
from ladder.runs.settings import Settings, identity_hash
from ladder.runs.start import THIS_MACHINE, NothingToResume, check_possible, start_run
from ladder.signals import check_stop

NO_LIMIT = 2**31 - 1
"""Above every number of a pair, which has 31 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bisection:
    """A bisection as the user asked for it."""

    history: History
    bots: CommitBots
    question: Question
    settings: Settings
    """The conditions of play; bots and pairing are those of each visit."""
    confinement: Confinement
    """Of bots on trial."""


def prepare(store: Store, asked: Bisection) -> BotRow:
    """The good revision as a bot, which can play under these conditions.

    Raises:
        UsageError: it cannot be built, failed its trial, or cannot play so.
        SpecError: the specification cannot be read there.

    """
    try:
        good = commit_bot(store, asked.bots, asked.history.good, asked.confinement)
    except (UsageError, SpecError) as error:
        commit = asked.history.good.commit[:SHORT]
        raise UsageError(f"--good {commit} cannot be played against: {error}") from error
    check_possible(_conditions(asked.settings, good, good), [good])
    return good


def run_bisection(
    store: Store,
    asked: Bisection,
    good: BotRow,
    *,
    watcher: Watcher,
    tell: Callable[[str], None],
    workforce: Workforce = THIS_MACHINE,
) -> BisectResult:
    """Search until there is an answer; an interrupted search goes on where it was.

    Args:
        store: the open database.
        asked: the question and its conditions.
        good: see `prepare`.
        watcher: is told what happens in the games of each visit.
        tell: is told of commits that are taken in or skipped.
        workforce: plays the pairs.

    Raises:
        UsageError: the bad revision cannot be tested.
        InvalidRun: the good or the bad revision forfeits too often, or the machine stalls.

    """
    return _Course(store, asked, good, watcher, tell, workforce).play()


class _Course:
    """One call of the command."""

    def __init__(
        self,
        store: Store,
        asked: Bisection,
        good: BotRow,
        watcher: Watcher,
        tell: Callable[[str], None],
        workforce: Workforce,
    ) -> None:
        self._store, self._good = store, good
        self._watcher, self._tell, self._workforce = watcher, tell, workforce
        self._search = Search(asked.history, asked.question)
        self._asked, self._key, self._seed = self._find_former(asked)
        self._rows: dict[int, BotRow] = {}
        self._runs: dict[int, int] = {}
        """Ids by place in the history."""

    def play(self) -> BisectResult:
        search = self._search
        while not search.is_over:
            check_stop()
            row = self._bot_at_hand()
            if row is not None and not self._visit(row):
                return self._result()
            last = len(search.history.commits) - 1
            if last in search.skipped:
                raise InvalidRun(f"--bad cannot be measured: {search.skipped[last]}")
        if search.failing_good:
            raise InvalidRun(f"--good cannot be measured against: {search.failing_good}")
        result = self._result()
        self._close(result)
        return result

    def _result(self) -> BisectResult:
        label = division_label(*self._asked.settings.division())
        return result_of(self._search, conditions=label, seed=self._seed)

    def _bot_at_hand(self) -> BotRow | None:
        """The bot at the commit at hand; None when the commit had to be skipped."""
        search, asked = self._search, self._asked
        place = search.place
        if place in self._rows:
            return self._rows[place]
        commit = search.history.commits[place]
        try:
            row = commit_bot(self._store, asked.bots, commit, asked.confinement)
            check_possible(_conditions(asked.settings, row, self._good), [row, self._good])
        except (UsageError, SpecError) as error:
            reason = _in_short(str(error))
            if place == len(search.history.commits) - 1:
                bad = commit.commit[:SHORT]
                raise UsageError(f"--bad {bad} cannot be tested: {error}") from error
            self._tell(f"{commit.commit[:SHORT]} is skipped: {reason}")
            search.skip(reason)
            return None
        self._rows[place] = row
        return row

    def _visit(self, row: BotRow) -> bool:
        """Have the commit at hand play until the search turns elsewhere; False: stopped."""
        search, place = self._search, self._search.place
        commit = search.history.commits[place]
        names = (row.name, self._good.name)
        judge = VisitJudge(search, names, self._kept(commit.commit))
        settings = replace(
            _conditions(self._asked.settings, row, self._good),
            seed=derive_seed(self._seed, int(commit.commit[:12], 16)),
        )
        stream = self._replay(judge, settings, row)
        try:
            if not judge.decided:
                outcome = start_run(
                    store=self._store,
                    settings=settings,
                    bots=[row, self._good],
                    watcher=self._watcher,
                    judge=judge,
                    workforce=self._workforce,
                )
                if isinstance(outcome, NothingToResume) or outcome.ending is RunEnding.STOPPED:
                    return False
        except InvalidRun as error:
            failures = search.tested[place].forfeits.by_bot
            ours, theirs = (sum(failures[name].values()) for name in names)
            if not judge.decided and (theirs or not ours):
                raise
            if not judge.decided:
                search.skip(_in_short(str(error)))
        for run in self._store.runs.find(stream=stream, limit=1):
            self._runs[place] = run.id
        if place in search.skipped:
            self._tell(f"{commit.commit[:SHORT]} is skipped: {search.skipped[place]}")
        return True

    def _replay(self, judge: VisitJudge, settings: Settings, row: BotRow) -> str:
        """Take the pairs that are stored already, before the first one that is owed; the stream."""
        hashes = {bot.name: bot.revision.content_hash for bot in (row, self._good)}
        stream = identity_hash(settings.describe(hashes), settings.seed)
        owed = self._store.pairs.owed(stream, below=NO_LIMIT)
        stop = owed[0] if owed else NO_LIMIT
        for pair in self._store.pairs.of_stream(stream, start=0, stop=stop):
            judge.take(pair)
        return stream

    def _close(self, result: BisectResult) -> None:
        """The runs of the search are finished, each with what was made of its commit."""
        verdicts = {each.commit.commit: each.verdict for each in result.tried}
        for place, run_id in self._runs.items():
            verdict = verdicts[self._search.history.commits[place].commit]
            self._store.runs.set_status(run_id, RunStatus.FINISHED)
            self._store.runs.set_verdict(run_id, verdict.value)

    def _identity(self, asked: Bisection) -> str:
        """Equal for searches that can use each other's games."""
        conditions = replace(asked.settings, bots=(), pairing=Pairing(PairingKind.GATE))
        return identity_hash(
            {
                "spec": asked.bots.spec,
                "build": asked.bots.build,
                "good": self._good.revision.content_hash,
                "conditions": conditions.describe({}),
            }
        )

    def _find_former(self, asked: Bisection) -> tuple[Bisection, str, int]:
        """Return what is asked, its identity and its seed.

        Where a former search can be continued these have its seed, and its derivation of seeds.
        """
        given = asked.settings.seed
        runs = self._store.runs.find(kind=RunKind.BISECT)
        for settings in asked.settings.with_older_derivations():
            former = replace(asked, settings=settings)
            key = self._identity(former)
            for run in runs:
                kept = run.settings.get(SETTINGS)
                if isinstance(kept, dict) and kept.get("key") == key:
                    seed = int(kept["seed"])
                    if given is None or seed == given:
                        return former, key, seed
        seed = secrets.randbelow(SEED_LIMIT) if given is None else given
        return asked, self._identity(asked), seed

    def _kept(self, commit: str) -> dict[str, object]:
        history = self._asked.history
        return {
            "key": self._key,
            "seed": self._seed,
            "spec": self._asked.bots.spec,
            "commit": commit,
            "good": history.good.commit,
            "bad": history.bad.commit,
        }


def _conditions(settings: Settings, candidate: BotRow, good: BotRow) -> Settings:
    """The settings of the games between a commit and the good one."""
    return replace(
        settings,
        bots=tuple(dict.fromkeys((candidate.name, good.name))),
        pairing=Pairing(PairingKind.GATE, candidate.name, (good.name,)),
    )


def _in_short(text: str) -> str:
    """The first line, and of a longer text the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0] if len(lines) < 2 else f"{lines[0]} {lines[-1]}"
