"""Columns and their types, and the mapping between rows and records by the names of fields."""

import dataclasses
from collections.abc import Hashable, Mapping
from enum import Enum
from functools import cache
from typing import Any, TypeVar, cast

import msgspec
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Integer,
    LargeBinary,
    Row,
    Table,
    Text,
    insert,
    type_coerce,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.dml import ReturningInsert
from sqlalchemy.types import TypeDecorator

from db.records import thought_blob

R = TypeVar("R")

BIG_KEY = BigInteger().with_variant(Integer(), "sqlite")
"""Type of the keys of pairs and games: 64 bits. SQLite generates keys only for the type INTEGER,
which has 64 bits there."""


def column(name: str, kind: Any, *more: Any, **options: Any) -> Column[Any]:
    """Return a column that is not null."""
    return Column(name, kind, *more, nullable=False, **options)


def optional(name: str, kind: Any, *more: Any) -> Column[Any]:
    """Return a column that may be null."""
    return Column(name, kind, *more)


def to_json(value: object) -> str:
    """Return a value as JSON with sorted keys, so that equal values give equal texts."""
    return msgspec.json.encode(value, order="sorted").decode()


class Json(TypeDecorator[Any]):
    """A value of a type as JSON."""

    impl = Text
    cache_ok = True

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.kind = kind

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Encode a value."""
        return None if value is None else to_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Decode a value."""
        return None if value is None else msgspec.json.decode(value, type=self.kind)


class Word(TypeDecorator[Any]):
    """A member of an enumeration by its value."""

    impl = Text
    cache_ok = True

    def __init__(self, kind: type[Enum]) -> None:
        super().__init__()
        self.kind = kind

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Return the value of a member."""
        word: str | None = value.value if isinstance(value, Enum) else value
        return word

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Return the member of a value."""
        return None if value is None else self.kind(value)


class Thoughts(TypeDecorator[Any]):
    """The thoughts of a game; workers pack them, so that the coordinator does not have to."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes | None:
        """Pack thoughts that are not packed yet."""
        return value if isinstance(value, bytes | None) else thought_blob.encode(value)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Any:
        """Unpack thoughts."""
        return None if value is None else thought_blob.decode(value)


def raw_columns(table: Any, prefix: str = "", names: tuple[str, ...] = ()) -> list[Any]:
    """Return columns as they are stored, for checks of what another program may have written.

    Args:
        table: the table.
        prefix: a prefix of their labels.
        names: the columns; empty for all.

    """
    return [
        type_coerce(column, getattr(column.type, "impl", column.type)).label(prefix + column.name)
        for column in table.c
        if not names or column.name in names
    ]


@cache
def fields_of(record: Any) -> tuple[str, ...]:
    """Return the names of a record's fields."""
    if dataclasses.is_dataclass(record):
        return tuple(field.name for field in dataclasses.fields(record))
    if issubclass(record, msgspec.Struct):
        return tuple(record.__struct_fields__)
    fields: tuple[str, ...] = record._fields  # of a named tuple
    return fields


def columns_of(record: type, table: Any) -> list[Any]:
    """Return the columns of a table that a record has, each labelled by its field.

    The field of a reference lacks the ending ``_id`` where the record's name for it does.
    """
    found = []
    for name in fields_of(record):
        column = table.c.get(name, table.c.get(f"{name}_id"))
        if column is not None:
            found.append(column.label(name))
    return found


def to_record(record: type[R], row: Row[Any] | Mapping[str, Any], **more: Any) -> R:
    """Return a record of a row's values, and of more fields."""
    values = zip(row._fields, row, strict=True) if isinstance(row, Row) else row.items()
    names = fields_of(cast("Hashable", record))
    known = {name: value for name, value in values if name in names}
    return record(**{**known, **more})


def to_values(record: Any, kind: type | None = None) -> dict[str, Any]:
    """Return the fields of a record, or of its base class, that are stored by their names."""
    names = fields_of(cast("Hashable", kind or type(record)))
    return {name: getattr(record, name) for name in names}


def insert_row(connection: Connection, table: Table, values: Mapping[str, Any]) -> int:
    """Insert a row; return its generated key."""
    key: int = connection.execute(_insert_statement(table), dict(values)).scalar_one()
    return key


@cache
def _insert_statement(table: Table) -> ReturningInsert[int]:
    """Return the statement of `insert_row`, which takes longer to build than to run."""
    return insert(table).returning(table.c.id)
