"""The record of two bots against each other, and what it says about who is better."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from db.records.aggregate import PairTableRow
from db.records.record import Record
from ladder.stats.difference import Difference, difference_of


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """The pairs of A against B."""

    a: str
    b: str
    record: Record = Record()  # noqa: RUF009 - it is frozen

    @property
    def mirrored(self) -> "HeadToHead":
        """The pairs of B against A."""
        return HeadToHead(self.b, self.a, self.record.mirrored)

    @property
    def difference(self) -> Difference:
        """The difference of A and B by these pairs alone, in about a millisecond."""
        return difference_of(self.record.evidence)


def heads_to_head(tables: Iterable[PairTableRow]) -> Sequence[HeadToHead]:
    """Return the records of every two bots over all board classes, by name."""
    totals: dict[tuple[str, str], Record] = {}
    for row in tables:
        key = (row.a_name, row.b_name)
        totals[key] = totals.get(key, Record()) + row.record
    return [HeadToHead(a, b, record) for (a, b), record in sorted(totals.items())]
