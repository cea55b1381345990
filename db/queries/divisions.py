"""Divisions: the conditions under which games can be compared."""

from collections.abc import Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, insert, select, update

from bots.budget import KIND_OF_FIELD
from db.connection.database import Database
from db.connection.retry_policy import retried
from db.errors import NameTaken, UnknownRow
from db.json_column import to_json
from db.models import Division
from db.records.budget import bots_with_odds, is_valid_budget, rename_in_budget
from db.records.runs import Conditions, DivisionRow, division_label


@retried
class Divisions:
    """The divisions of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ensure(
        self,
        boards: str,
        opening_plies: int | None,
        budget: Mapping[str, int],
        openings: str | None = None,
    ) -> DivisionRow:
        """The division of these conditions, made when it is new.

        Raises:
            ValueError: a kind of budget is unknown.

        """
        wanted = Conditions(boards, opening_plies, budget, openings)
        for known in self.all():
            if known.conditions == wanted:
                return known  # the common case needs no write lock
        with self._database.writing() as connection:
            return division_in(connection, wanted)

    def all(self) -> list[DivisionRow]:
        """All divisions by id."""
        with self._database.reading() as connection:
            rows = connection.execute(select(Division.__table__).order_by(Division.id))
            return [_division(row) for row in rows]

    def find(self, text: str) -> DivisionRow:
        """A division by id, label or a beginning of a label that only one has.

        Raises:
            UnknownRow: none fits, or several do.

        """
        known = self.all()
        word = text.strip()
        exact = [entry for entry in known if word in (entry.label, str(entry.id))]
        near = exact or [entry for entry in known if word and entry.label.startswith(word)]
        if len(near) == 1:
            return near[0]
        if near:
            labels = ", ".join(entry.label for entry in near)
            raise UnknownRow(f"division {text!r} can be any of {labels}: write more of it")
        if not known:
            raise UnknownRow(f"there is no division {text!r}: no games were played here yet")
        labels = ", ".join(f"{entry.id} ({entry.label})" for entry in known)
        raise UnknownRow(f"there is no division {text!r}; there are {labels}")


def division_in(connection: Connection, conditions: Conditions) -> DivisionRow:
    """The division of these conditions, in a transaction that holds the write lock."""
    boards, opening_plies, budget, openings = conditions
    if not is_valid_budget(budget):
        raise ValueError(f"budgets are of {', '.join(KIND_OF_FIELD)}, got {dict(budget)}")
    key = _key(conditions)
    query = select(Division.__table__).where(Division.key == key)
    row = connection.execute(query).first()
    if row is None:
        connection.execute(
            insert(Division).values(
                key=key,
                label=division_label(*conditions),
                boards=boards,
                opening_plies=opening_plies,
                budget=to_json(dict(budget)),
                openings=openings,
            )
        )
        row = connection.execute(query).one()
    return _division(row)


def rename_in_divisions(connection: Connection, name: str, new_name: str) -> None:
    """Give the new name of a bot to its amounts in the budgets of divisions.

    Raises:
        NameTaken: a division holds an amount for the new name already.

    """
    for row in connection.execute(select(Division.__table__)).all():
        division = _division(row)
        named = bots_with_odds(division.budget)
        if name not in named:
            continue
        budget = rename_in_budget(division.budget, {name: new_name})
        now = division.conditions._replace(budget=budget)
        key, label = _key(now), division_label(*now)
        taken = select(Division.id).where((Division.key == key) | (Division.label == label))
        if new_name in named or connection.execute(taken).first() is not None:
            raise NameTaken(
                f"games of a bot called {new_name!r} with a budget of its own are stored "
                f"({label}): choose another name"
            )
        connection.execute(
            update(Division)
            .where(Division.id == division.id)
            .values(key=key, label=label, budget=to_json(budget))
        )


def _key(conditions: Conditions) -> str:
    """Return the canonical JSON of all conditions."""
    boards, opening_plies, budget, openings = conditions
    values = {"boards": boards, "opening_plies": opening_plies, "budget": dict(budget)}
    if openings is not None:  # so that the keys of divisions without it stay what they were
        values["openings"] = openings
    return to_json(values)


def _division(row: Any) -> DivisionRow:
    return DivisionRow(
        id=row.id,
        label=row.label,
        boards=row.boards,
        opening_plies=row.opening_plies,
        budget=msgspec.json.decode(row.budget, type=dict[str, int]),
        openings=row.openings,
    )
