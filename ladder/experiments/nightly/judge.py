"""The judge of a night: it finds which steps from commit to commit are answered.

A step is the difference of a commit and its predecessor by all rated games, as `ladder report
--regressions` has it. It is read at few moments, because its interval is valid for a fixed number
of pairs: each after a quarter more pairs of the run than the one before. An answered step keeps its
answer, and its pairs are no longer wanted. docs/results/nights.md has the errors in simulations.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from db.records.aggregate import PairTableRow
from db.records.bots import BotRow
from db.records.night import Answer, Night, NightVerdict
from db.records.pairs import PairPlan, PlayedPair
from db.records.record import Record
from ladder.experiments.engine import ExperimentJudge
from ladder.experiments.tally import Tally
from ladder.names import counted
from ladder.results.standings.lineage import Step, find_steps
from ladder.results.standings.pool import rate_records
from ladder.stats.difference import difference_of

LEAST_PAIRS = 50
"""Fewest pairs of a commit against its predecessor before an answer."""
GROWTH = 1.25
"""Growth of the number of pairs between two moments of judging."""


class NightJudge(ExperimentJudge):
    """Judges the steps of a night from the pairs of its run, and all rated ones before."""

    def __init__(
        self, night: Night, bots: Sequence[BotRow], before: Sequence[PairTableRow]
    ) -> None:
        """Begin a night.

        Args:
            night: The night.
            bots: All registered bots.
            before: The rated pairs before the run.

        """
        self._night, self._steps, self._question = night, night.steps, night.question
        self.answers = dict.fromkeys(night.steps, Answer())
        self._wanted_by: defaultdict[frozenset[str], set[str]] = defaultdict(set)
        for commit, other in night.meetings:
            self._wanted_by[frozenset((commit, other))].add(commit)
        self._bots = {bot.name: bot for bot in bots}
        self._names = {bot.revision.id: bot.name for bot in bots}
        self._before = [((row.a_name, row.b_name, row.board_class), row.record) for row in before]
        self._tallies: defaultdict[tuple[str, str, str], Tally] = defaultdict(Tally)
        self._pairs, self._next = 0, float(LEAST_PAIRS)

    @property
    def settings(self) -> Mapping[str, object]:
        """The night, which is stored with the run."""
        return {"nightly": self._night}

    @property
    def decided(self) -> bool:
        """Whether every step is answered."""
        return all(answer.is_final for answer in self.answers.values())

    @property
    def verdict(self) -> NightVerdict:
        """The worst answer of all."""
        found = {answer.verdict for answer in self.answers.values()}
        return next(each for each in NightVerdict if each in found)

    @property
    def progress(self) -> str:
        """The number of answered steps."""
        done = sum(answer.is_final for answer in self.answers.values())
        return f"{done} of {counted(len(self._steps), 'commit')} answered"

    def wants(self, plan: PairPlan) -> bool:
        """Return whether a pair is for a step without an answer."""
        return self.is_wanted(plan.a.name, plan.b.name)

    def take(self, pair: PlayedPair) -> None:
        """Count a pair if it is wanted, and judge the steps now and then."""
        a, b = self._names[pair.a_revision], self._names[pair.b_revision]
        if not self.is_wanted(a, b):
            self.surplus += 2
            return
        if self._tallies[a, b, pair.board_class].count(pair):
            self._pairs += 1
        if self._pairs >= self._next:
            self._next = GROWTH * self._pairs
            self.judge()

    def judge(self) -> None:
        """Judge all steps without an answer."""
        played = [(names, tally.counted) for names, tally in self._tallies.items()]
        pool = rate_records([*self._before, *played])
        waiting = {name for name, answer in self.answers.items() if not answer.is_final}
        rated = {step.bot: step for step in find_steps(pool, self._bots, waiting)}
        for name in waiting:
            other = self._steps[name]
            record = self._record(name, other)
            alone = Step(name, other, "", difference_of(record.evidence), record.games)
            self.answers[name] = self._answer(rated.get(name, alone), record)

    def _answer(self, step: Step, record: Record) -> Answer:
        drop, error = self._question.max_drop, step.difference.error95
        verdict = NightVerdict.DROP if step.is_lost(drop) else NightVerdict.NO_DROP
        if step.is_undecided(drop):
            verdict = NightVerdict.UNDECIDED
        is_close = error is not None and error <= self._question.until_error
        is_known = verdict is not NightVerdict.UNDECIDED or is_close
        is_final = is_known and record.pairs >= LEAST_PAIRS
        is_final |= self._repeats(step.bot, self._steps[step.bot])
        shown = verdict if is_final else NightVerdict.UNDECIDED
        return Answer(shown, is_final, asdict(step.difference), record)

    def _record(self, commit: str, other: str) -> Record:
        """Return all pairs of a commit against its predecessor."""
        played = [(names, tally.counted) for names, tally in self._tallies.items()]
        return Record.total(
            record if a == commit else record.mirrored
            for (a, b, _), record in (*self._before, *played)
            if {a, b} == {commit, other}
        )

    def _repeats(self, *names: str) -> bool:
        """Return whether further pairs of two bots would hardly give new games."""
        met = [each for key, each in self._tallies.items() if {*key[:2]} == {*names}]
        return bool(met) and all(tally.is_exhausted for tally in met)

    def is_wanted(self, a: str, b: str) -> bool:
        """Return whether a pair of two bots is for a step without an answer."""
        return any(not self.answers[each].is_final for each in self._wanted_by[frozenset((a, b))])
