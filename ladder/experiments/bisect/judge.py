"""One visit to a commit as the judge of a run: it ends when the search turns to another one."""

from collections.abc import Mapping

from db.records.pairs import PlayedPair
from ladder.experiments.bisect.cost import games_left
from ladder.experiments.bisect.history import SHORT
from ladder.experiments.bisect.search import Search
from ladder.experiments.engine import ExperimentJudge

SETTINGS = "bisect"
"""The key of a search among the settings of its runs."""


class VisitJudge(ExperimentJudge):
    """Takes the pairs of the commit at which the search is."""

    def __init__(self, search: Search, names: tuple[str, str], kept: Mapping[str, object]) -> None:
        """`names` are those of the commit's bot and of the good one; `kept` is kept with a run."""
        self._search = search
        self._names = names
        self._kept = kept
        self._place = search.place
        search.enter(*names)

    @property
    def settings(self) -> Mapping[str, object]:
        """The search that the run belongs to."""
        return {SETTINGS: self._kept}

    @property
    def verdict(self) -> None:
        """None before the search has its answer; its session stores the verdict of each commit."""
        return

    @property
    def decided(self) -> bool:
        """Whether the search is elsewhere, or over."""
        return self._search.is_over or self._search.place != self._place

    @property
    def progress(self) -> str:
        """How many commits are still suspected, and what this one looks like."""
        return progress_of(self._search, self._place)

    @property
    def games_left(self) -> float | None:
        """Games until the answer, roughly, where they can be told."""
        return games_left(self._search)

    @property
    def keeps_planned(self) -> bool:
        """Always: pairs that a visit leaves are played in the next one, and no number is lost."""
        return True

    def take(self, pair: PlayedPair) -> None:
        """Take a pair, unless an earlier visit has, or this one is over."""
        if not self.decided and self._search.is_new(pair):
            self._search.take(pair, *self._names)


def progress_of(search: Search, place: int) -> str:
    """How many commits are suspected, and the chance that the one at a place plays weaker."""
    chance = float(search.posterior.weaker[place])
    return (
        f"{search.number_of_suspects} of {len(search.history.commits)} commits suspected, "
        f"{search.history.commits[place].commit[:SHORT]} is weaker with {chance:.0%}"
    )
