"""The judge of a visit to a commit, a run that ends when the search turns to another commit."""

from collections.abc import Mapping

from db.records.pairs import PlayedPair
from ladder.experiments.bisect.cost import games_left
from ladder.experiments.bisect.history import SHORT
from ladder.experiments.bisect.search import CommitSearch
from ladder.experiments.engine import ExperimentJudge

SETTINGS = "bisect"
"""The settings key of a search."""


class VisitJudge(ExperimentJudge):
    """Takes the pairs of the current commit of a search."""

    def __init__(
        self, search: CommitSearch, names: tuple[str, str], identity: Mapping[str, object]
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
        return {SETTINGS: self._identity}

    @property
    def verdict(self) -> None:
        """Always None: the session stores the verdicts of all commits at the end of the search."""
        return

    @property
    def decided(self) -> bool:
        """Whether the search has left this commit, or is over."""
        return self._search.is_over or self._search.index != self._index

    @property
    def progress(self) -> str:
        """The number of suspects, and the chance that this commit is weaker."""
        search, chance = self._search, float(self._search.posterior.weaker[self._index])
        return (
            f"{search.credible_set_size} of {len(search.history.commits)} commits suspected, "
            f"{search.history.commits[self._index].commit[:SHORT]} is weaker with "
            f"a chance of {chance:.0%}"
        )

    @property
    def games_left(self) -> float | None:
        """Estimated games until the answer; None if unknown."""
        return games_left(self._search)

    @property
    def keeps_planned(self) -> bool:
        """Always true: planned pairs are played in the next visit, so that no number is lost."""
        return True

    def take(self, pair: PlayedPair) -> None:
        """Take a pair, unless an earlier visit did or this one is over."""
        if not self.decided and self._search.is_new(pair):
            self._search.take(pair, *self._names)
