"""The division that a command is about."""

from typing import TYPE_CHECKING

from ladder.errors import UsageError

if TYPE_CHECKING:
    from db.records.runs import DivisionRow
    from db.store import Store


def division_or_latest(store: "Store", text: str | None) -> "DivisionRow":
    """The division of `--division`, or that of the latest run.

    Raises:
        UnknownRow: there is no such division.
        UsageError: there is none at all.

    """
    if text is not None:
        return store.divisions.find(text)
    run = store.runs.latest(kind=None)
    if run is None:
        raise UsageError("this database holds no games yet: play some with `ladder run`")
    ladder = store.runs.latest()
    return store.divisions.find(str((ladder or run).division_id))
