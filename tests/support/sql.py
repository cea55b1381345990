"""SQL on a test's database, past the store."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool


def execute_sql(where: str, statement: str, values: Sequence[Any] = ()) -> list[Any]:
    """Execute a statement in a transaction of its own and return its rows.

    Args:
        where: a file path, a URL or a store's `where`.
        statement: in the driver's notation.
        values: for its placeholders.

    """
    url = where if "://" in where else f"sqlite:///{where}"
    with create_engine(url, poolclass=NullPool).begin() as connection:
        result = connection.exec_driver_sql(statement, tuple(values))
        return list(result.all()) if result.returns_rows else []
