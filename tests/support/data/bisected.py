"""Searches through invented histories, for tests of the search and of its documents."""

import numpy as np

from db.records.pairs import PlayedPair
from engine.result import Termination
from ladder.experiments.bisect.history import CommitHistory
from ladder.experiments.bisect.search import CommitSearch
from ladder.registry.specs.git import Commit
from tests.support.data.pairs import pair_of

CHAIN = np.tril(np.ones((16, 16), dtype=bool))


def pair(number: int, *, won: bool, games: int | None = None, crashed: bool = False) -> PlayedPair:
    """Return a pair that is even, or lost by the commit."""
    ended = Termination.CRASH if crashed else Termination.FOUR_IN_A_ROW
    return pair_of(number, 1, 2, 6 if won else 0, games, (ended, ended))


def history(holds: "np.ndarray[tuple[int, int], np.dtype[np.bool_]]" = CHAIN) -> CommitHistory:
    """Invented commits, whose hashes are their indices."""
    commits = tuple(Commit(f"{index:040d}", (), f"Step {index}") for index in range(len(holds)))
    return CommitHistory(Commit("f" * 40, (), "Good"), commits, holds)


def played(
    search: CommitSearch,
    culprit: int | None,
    *,
    untestable: tuple[int, ...] = (),
    most: int = 2000,
    lost: tuple[int, int] = (3, 4),
) -> list[int]:
    """Let a search end on commits that lose some pairs of so many when they hold the culprit.

    Returns the indices at which it was, in their order.
    """
    streams: dict[int, int] = {}
    visited: list[int] = []
    for _ in range(most):
        if search.is_over:
            break
        index = search.index
        if index in untestable:
            search.skip("does not build")
            continue
        if visited[-1:] != [index]:
            visited.append(index)
        number = streams[index] = streams.get(index, -1) + 1
        search.enter("commit", "good")
        weak = culprit is not None and bool(search.history.holds[index, culprit])
        search.take(pair(number, won=not weak or number % lost[1] >= lost[0]), "commit", "good")
    return visited
