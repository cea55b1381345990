"""The end of a bisection with all that it was made from, and its sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ladder.experiments.bisect.history import SHORT
from ladder.experiments.bisect.question import Question
from ladder.experiments.bisect.search import STAY, Answer, Search, Tested
from ladder.experiments.engine import STOPPED, exit_code_of
from ladder.match.specs.git import LoggedCommit
from ladder.stats.elo import EloEstimate, estimate


class CommitVerdict(StrEnum):
    """The finding of a search on a commit that it turned to."""

    GOOD = "good"
    """The commit plays as strongly as the good revision."""
    BAD = "bad"
    """Weaker."""
    OPEN = "open"
    """Neither is sure yet."""
    SKIPPED = "skipped"
    """The commit cannot be tested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedCommit:
    """A commit that the search turned to."""

    commit: LoggedCommit
    verdict: CommitVerdict
    reason: str
    """Why it was skipped; empty otherwise."""
    pentanomial: tuple[int, ...]
    """Counted pairs against the good revision by the commit's points: 0, 1/2, 1, 3/2, 2."""
    wdl: tuple[int, int, int]
    """Counted games won, drawn and lost."""
    estimate: EloEstimate
    """Against the good revision."""
    weaker: float
    """Chance that it plays weaker than the good revision, 0..1."""

    @property
    def games(self) -> int:
        """Counted games."""
        return sum(self.wdl)


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """The state of a search when it left a commit."""

    commit: str
    """The hash of the commit that was played."""
    games: int
    """Counted games over all commits so far."""
    likeliest: str
    """The hash of the commit that was most likely to blame."""
    chance: float
    """That it was, 0..1."""
    suspects: int
    """The fewest commits that held the one to blame with the stated probability."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BisectResult:
    """The answer of a bisection."""

    question: Question
    answer: Answer | None
    """None: the search was stopped before there was one."""
    reason: str
    good: LoggedCommit
    bad: LoggedCommit
    commits: int
    """Length of the history, the good revision not counted."""
    suspects: tuple[LoggedCommit, ...]
    """The commit to blame, or those that cannot be told apart; without an answer the likeliest."""
    chance: float
    """That the suspects hold the commit to blame, 0..1."""
    drop: EloEstimate | None
    """The tested commits that hold the one to blame against the good revision; None without any."""
    tried: tuple[TriedCommit, ...]
    """In the order of the history."""
    games: int
    """Counted games over all commits."""
    conditions: str
    """The label of the division."""
    seed: int
    course: tuple[Visit, ...] = ()
    """In the order of play."""

    @property
    def culprit(self) -> LoggedCommit | None:
        """The commit to blame, if it was found."""
        return self.suspects[0] if self.answer is Answer.FOUND else None

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return exit_code_of(self.answer or STOPPED)


def visit_of(search: Search, place: int) -> Visit:
    """Return the state of a search that has just left the commit at a place."""
    blamed = search.posterior.blamed
    likeliest = int(blamed.argmax())
    return Visit(
        commit=search.history.commits[place].commit,
        games=search.games,
        likeliest=search.history.commits[likeliest].commit,
        chance=float(blamed[likeliest]),
        suspects=search.number_of_suspects,
    )


def result_of(
    search: Search, *, conditions: str, seed: int, course: Sequence[Visit] = ()
) -> BisectResult:
    """The result as the search stands."""
    history, after = search.history, search.posterior
    places = search.suspects or (int(after.blamed.argmax()),)
    suspects = tuple(history.commits[place] for place in places)
    drop = None
    if search.answer in (Answer.FOUND, Answer.AMBIGUOUS):
        holding = [
            _weighed(tested)
            for place, tested in search.tested.items()
            if place not in search.skipped and history.holds[place, list(places)].all()
        ]
        drop = estimate(counts=np.sum(holding, axis=0)) if holding else None
    chance = float(after.blamed[list(places)].sum())
    return BisectResult(
        question=search.question,
        answer=search.answer,
        reason=_sentence(search, suspects, chance),
        good=history.good,
        bad=history.bad,
        commits=len(history.commits),
        suspects=suspects,
        chance=chance,
        drop=drop,
        tried=tuple(_tried(search, place) for place in sorted({*search.tested, *search.skipped})),
        games=search.games,
        conditions=conditions,
        seed=seed,
        course=tuple(course),
    )


def _weighed(tested: Tested) -> list[float]:
    """All pairs with the weight of the distinct ones, as a gate estimates from them."""
    tally = tested.tally
    share = sum(tally.distinct) / max(sum(tally.pentanomial), 1)
    return [count * share for count in tally.pentanomial]


def _tried(search: Search, place: int) -> TriedCommit:
    tested = search.tested.get(place)
    weaker = float(search.posterior.weaker[place])
    verdict = CommitVerdict.OPEN
    if place in search.skipped:
        verdict = CommitVerdict.SKIPPED
    elif weaker > 1.0 - STAY:
        verdict = CommitVerdict.BAD
    elif weaker < STAY:
        verdict = CommitVerdict.GOOD
    wdl = (0, 0, 0) if tested is None else tested.tally.wdl
    return TriedCommit(
        commit=search.history.commits[place],
        verdict=verdict,
        reason=search.skipped.get(place, ""),
        pentanomial=(0,) * 5 if tested is None else tuple(tested.tally.pentanomial),
        wdl=(wdl[0], wdl[1], wdl[2]),
        estimate=estimate(counts=[0.0] * 5 if tested is None else _weighed(tested)),
        weaker=weaker,
    )


def _sentence(search: Search, suspects: tuple[LoggedCommit, ...], chance: float) -> str:
    """The answer in words; the numbers of the drop are shown beside it."""
    question, history = search.question, search.history
    games, asked = f"{search.games} games", f"{question.max_drop:g} Elo or more"
    good, bad = history.good.commit[:SHORT], history.bad.commit[:SHORT]
    if search.answer is Answer.FOUND:
        return f"{suspects[0].commit[:SHORT]} lost rating ({chance:.1%} sure after {games})"
    if search.answer is Answer.NONE:
        return f"{bad} is not worse than {good} by {asked}, so no commit is to blame ({games})"
    if search.answer is Answer.AMBIGUOUS:
        names = ", ".join(commit.commit[:SHORT] for commit in suspects)
        return (
            f"one of {names} lost rating ({chance:.1%} sure after {games}); they cannot be told "
            "apart, as all but the last of them cannot be tested"
        )
    seems = f"most likely is {suspects[0].commit[:SHORT]}, with {chance:.0%}"
    if search.answer is None:
        return f"stopped after {games}: the same command resumes it; so far {seems}"
    if search.games + 2 > question.max_games:
        return f"no answer after {games}, and --max-games allows no more: {seems}"
    return (
        f"no answer after {games}: the games repeat, and hardly any further pair would be new; ask "
        f"for longer openings (--opening-plies) or other boards; {seems}"
    )
