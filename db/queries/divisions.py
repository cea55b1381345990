"""Divisions: rating conditions under which games can be compared."""

import re
import time
from typing import Any

import msgspec
from sqlalchemy import Connection, insert, select, update

from db.columns import to_json, to_record, to_values
from db.database import Queries
from db.errors import NameTaken, UnknownRow
from db.models import DIVISIONS, OPENING_SETS, Division, StoredOpeningSet
from db.records.budget import bots_with_odds, is_valid_budget, rename_in_budget
from db.records.runs import Conditions, DivisionRow, OpeningSetRow, division_label
from engine.board_class import format_board_classes, parse_board_classes
from engine.errors import BoardError


class Divisions(Queries):
    """The divisions of a database."""

    def ensure(self, wanted: Conditions) -> DivisionRow:
        """Return the division with these conditions; create it if it is new.

        Raises:
            ValueError: the budget is invalid, or not exactly one of `opening_plies`, `openings` and
                `fixed_opening` is given.

        """
        for known in self.all():
            if known.conditions == wanted:
                return known  # usually, which needs no write lock
        with self._database.writing() as connection:
            return ensure_division(connection, wanted)

    def all(self) -> list[DivisionRow]:
        """Return all divisions in the order of their ids."""
        with self._database.reading() as connection:
            return read_divisions(connection)

    def find(self, text: str) -> DivisionRow:
        """Return the division with this id or label, with these boards, or whose label begins so.

        A label may begin with any words of ``--boards``, such as ``standard``.

        Raises:
            UnknownRow: no division fits, or several do.

        """
        known = self.all()
        word = text.strip()
        label = _as_label(word)
        near = (
            [entry for entry in known if label == entry.label or word == str(entry.id)]
            or [entry for entry in known if label == entry.boards]
            or [entry for entry in known if word and entry.label.startswith(label)]
        )
        if len(near) == 1:
            return near[0]
        if near:
            labels = ", ".join(entry.label for entry in near)
            raise UnknownRow(f"division {text!r} is ambiguous ({labels}): write more of the label")
        if not known:
            raise UnknownRow(f"there is no division {text!r}: this database holds no games yet")
        labels = ", ".join(f"{entry.id} ({entry.label})" for entry in known)
        raise UnknownRow(f"there is no division {text!r}: choose one of {labels}")


def _as_label(word: str) -> str:
    """Return the beginning of a label with its boards as labels spell them."""
    boards = re.match(r"[^/+]*", word)
    assert boards is not None  # noqa: S101 - it may be empty
    try:
        spelled = format_board_classes(parse_board_classes(boards[0]))
    except BoardError:
        return word
    return spelled + word[boards.end() :]


def read_divisions(connection: Connection) -> list[DivisionRow]:
    """Return all divisions in the order of their ids."""
    rows = connection.execute(select(DIVISIONS).order_by(Division.id))
    return [_division(row) for row in rows]


def ensure_division(connection: Connection, conditions: Conditions) -> DivisionRow:
    """Return or create a division, in a transaction that holds the write lock."""
    budget = conditions.budget
    if not is_valid_budget(budget):
        raise ValueError(f"its division has the invalid budget {dict(budget)}")
    if not conditions.has_one_opening:
        raise ValueError("its division must have one of opening_plies, openings, fixed_opening")
    key = to_json(conditions.exported)
    query = select(DIVISIONS).where(Division.key == key)
    row = connection.execute(query).first()
    if row is None:
        connection.execute(insert(DIVISIONS).values(key=key, label=division_label(conditions)))
        row = connection.execute(query).one()
    return _division(row)


def rename_in_divisions(connection: Connection, name: str, new_name: str) -> None:
    """Rename a bot in the budgets of divisions that give it odds.

    Raises:
        NameTaken: a division already has odds for the new name.

    """
    for division in read_divisions(connection):
        named = bots_with_odds(division.budget)
        if name not in named:
            continue
        budget = rename_in_budget(division.budget, {name: new_name})
        now = msgspec.structs.replace(division.conditions, budget=budget)
        key, label = to_json(now.exported), division_label(now)
        taken = select(Division.id).where((Division.key == key) | (Division.label == label))
        if new_name in named or connection.execute(taken).first() is not None:
            raise NameTaken(
                f"there are games with odds for a bot called {new_name!r} ({label}): choose "
                "another name"
            )
        connection.execute(
            update(DIVISIONS).where(Division.id == division.id).values(key=key, label=label)
        )


def _division(row: Any) -> DivisionRow:
    conditions = Conditions.of_key(row.key)
    # Not the stored label: an older version may have had no name for the openings.
    return DivisionRow(id=row.id, label=division_label(conditions), **to_values(conditions))


class OpeningSets(Queries):
    """The sets of openings of a database."""

    def save(self, row: OpeningSetRow) -> None:
        """Store a set unless it is stored already."""
        if row not in self.find(row.content_hash):  # usually it is there, which needs no lock
            with self._database.writing() as connection:
                insert_set(connection, row)

    def find(self, word: str) -> list[OpeningSetRow]:
        """Return the sets with this file name or beginning of the hash, newest first."""
        query = select(OPENING_SETS).order_by(StoredOpeningSet.created_at.desc())
        rows = [to_record(OpeningSetRow, row) for row in self._rows(query)]
        return [
            row for row in rows if word and (row.name == word or row.content_hash.startswith(word))
        ]


def find_set(connection: Connection, content_hash: str) -> OpeningSetRow | None:
    """Return the set with this hash, or None."""
    query = select(OPENING_SETS).where(StoredOpeningSet.content_hash == content_hash)
    row = connection.execute(query).first()
    return None if row is None else to_record(OpeningSetRow, row)


def insert_set(connection: Connection, row: OpeningSetRow) -> None:
    """Store a set unless it is stored already, in a transaction that holds the write lock."""
    if find_set(connection, row.content_hash) is None:
        connection.execute(insert(OPENING_SETS).values(**to_values(row), created_at=time.time()))
