"""The keys of Dask tasks: they say which pair of which session a worker plays."""

from typing import NamedTuple

PREFIX = "ladder"


class PlayedPair(NamedTuple):
    """A pair, as the key of its task names it."""

    session: str
    """The session of the coordinator that had it played."""
    number: int
    """The pair's number in its stream."""


def task_key(stream: str, what: object, session: str, count: int) -> str:
    """Return the key of a task.

    Args:
        stream: The stream of the run.
        what: The number of a pair, or the name of another function.
        session: The session of the coordinator.
        count: A number that no other task of the session has.

    """
    return f"{PREFIX}-{stream[:16]}-{what}-{session}-{count}"


def played_pair(key: object) -> PlayedPair | None:
    """Return the pair of a task, or None if the task is not the playing of a pair."""
    parts = str(key).rsplit("-", 3)
    if len(parts) < 4 or not parts[0].startswith(f"{PREFIX}-") or not parts[1].isdigit():
        return None
    return PlayedPair(parts[2], int(parts[1]))
