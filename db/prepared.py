"""Statements of the hot path, compiled once for a database's dialect.

SQLAlchemy builds them from the models, so that they follow the tables and the dialect; running
them by the driver's own text and parameters halves what a pair costs.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, CursorResult
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
        self._names = tuple(compiled.positiontup) if compiled.positiontup is not None else None

    def run(
        self, connection: Connection, values: Mapping[str, Any]
    ) -> CursorResult[*tuple[Any, ...]]:
        """Execute with values by parameter name; each must be a type that the driver knows."""
        if self._names is None:
            return connection.exec_driver_sql(self._text, dict(values))
        return connection.exec_driver_sql(self._text, tuple([values[n] for n in self._names]))
