"""Translation of driver errors into errors of `db.errors`."""

from collections.abc import Iterator
from contextlib import contextmanager

from db.backends import Backend


@contextmanager
def translate_driver_errors(backend: Backend) -> Iterator[None]:
    """Raise driver errors of the block as errors of `db.errors`.

    Raises:
        DatabaseError: the subclass for the driver's error.

    """
    try:
        yield
    except backend.driver_errors as error:
        translated = backend.translate(error)
        if translated is None:
            raise
        raise translated from error
