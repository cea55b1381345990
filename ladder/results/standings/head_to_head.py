"""The record of two bots against each other, and what it says about who is better."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from db.records.aggregate import PairTableRow
from db.records.record import Record
from ladder.stats.difference import Difference, Sign, difference_of


class Balance(StrEnum):
    """Which of two bots has made more points against the other."""

    BEATS = "beats"
    EVEN = "even"
    LOSES = "loses to"


@dataclass(frozen=True)
class HeadToHead:
    """The pairs of A against B."""

    a: str
    b: str
    record: Record = Record()  # noqa: RUF009 - it is frozen

    @property
    def mirrored(self) -> "HeadToHead":
        """The pairs of B against A."""
        return HeadToHead(self.b, self.a, self.record.mirrored)

    @cached_property
    def difference(self) -> Difference:
        """The difference of A and B by these pairs alone, in about a millisecond."""
        return difference_of(self.record.evidence)

    @property
    def balance(self) -> Balance:
        """Which of the two has made more points."""
        wins, _, losses = self.record.wdl
        return Balance.BEATS if wins > losses else Balance.LOSES if wins < losses else Balance.EVEN

    @property
    def is_clear(self) -> bool:
        """Whether the interval of the difference excludes zero."""
        return self.difference.verdict is not Sign.UNDECIDED


def heads_to_head(tables: Iterable[PairTableRow]) -> Sequence[HeadToHead]:
    """Return the records of every two bots over all board classes, by name."""
    totals: defaultdict[tuple[str, str], Record] = defaultdict(Record)
    for row in tables:
        totals[row.a_name, row.b_name] += row.record
    return [HeadToHead(a, b, record) for (a, b), record in sorted(totals.items())]
