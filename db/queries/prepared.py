"""Statements of the hot path, compiled once for a database's dialect.

SQLAlchemy builds them from the models, so that they follow the tables and the dialect. On SQLite
the driver runs them directly: going through SQLAlchemy's results took as long again as all the
rest of storing a pair, the wait for the disk included.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.sql.selectable import SelectBase


class Prepared:
    """One statement for one dialect; all its parameters are bound at each run."""

    __slots__ = ("_names", "_text")

    def __init__(self, statement: UpdateBase | SelectBase, dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        if not isinstance(compiled, SQLCompiler):
            raise TypeError(f"not a statement with parameters: {statement}")
        self._text = compiled.string
        self._names: tuple[str, ...] | None = None
        if dialect.name == "sqlite":
            self._names = tuple(compiled.positiontup or ())

    def run(self, connection: Connection, values: Mapping[str, Any]) -> list[Any]:
        """Execute with values by parameter name, and fetch all rows.

        The values must be of types that the driver itself knows: no enums.
        """
        if self._names is not None:
            driver: Any = connection.connection.dbapi_connection
            rows: list[Any] = driver.execute(
                self._text, [values[name] for name in self._names]
            ).fetchall()
            return rows
        result = connection.exec_driver_sql(self._text, dict(values))
        return list(result) if result.returns_rows else []
