"""Driver errors become this package's errors at the store's border."""

from collections.abc import Iterator
from contextlib import contextmanager

from db.backends import Backend


@contextmanager
def border(backend: Backend) -> Iterator[None]:
    """Let only errors of `db.errors` (or bugs) out of the block.

    Raises:
        DatabaseError: the subclass that fits what the driver said.

    """
    try:
        yield
    except backend.driver_errors as error:
        ours = backend.translate(error)
        if ours is None:
            raise
        raise ours from error
