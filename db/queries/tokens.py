"""Tokens, by which users of the web server show a right."""

import time
from typing import Any

from sqlalchemy import delete, insert, select, update

from db.connection.database import Database
from db.connection.retry_policy import retried
from db.errors import NameTaken, UnknownRow
from db.models import Token
from db.records.bots import remedy_for
from db.records.tokens import Right, TokenRow


@retried
class Tokens:
    """The tokens of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, name: str, hashed: str, right: Right) -> TokenRow:
        """Store a token.

        Args:
            name: name of its user.
            hashed: SHA-256 of the token in hex.
            right: what it allows.

        Raises:
            NameTaken: another token has the name.

        """
        with self._database.writing() as connection:
            if connection.execute(select(Token.id).filter_by(name=name)).first() is not None:
                raise NameTaken(
                    f"a token called {name!r} exists: choose another name, or delete it with "
                    f"`ladder queue token {name} --delete`"
                )
            values = {"name": name, "hash": hashed, "right": right.value}
            added = insert(Token).values(**values, created_at=time.time())
            return _token(connection.execute(added.returning(*Token.__table__.columns)).one())

    def all(self) -> list[TokenRow]:
        """Return the tokens in the order of their names."""
        with self._database.reading() as connection:
            rows = connection.execute(select(Token.__table__).order_by(Token.name))
            return [_token(row) for row in rows]

    def find(self, hashed: str) -> TokenRow | None:
        """Return the token with a hash, or None."""
        with self._database.reading() as connection:
            row = connection.execute(select(Token.__table__).filter_by(hash=hashed)).first()
            return None if row is None else _token(row)

    def mark_used(self, token_id: int) -> None:
        """Store that a token was shown now; nothing happens if it was deleted."""
        with self._database.writing() as connection:
            connection.execute(
                update(Token).where(Token.id == token_id).values(used_at=time.time())
            )

    def delete(self, name: str) -> None:
        """Delete a token. Raises UnknownRow."""
        with self._database.writing() as connection:
            if connection.execute(delete(Token).where(Token.name == name)).rowcount == 0:
                known = connection.scalars(select(Token.name))
                remedy = remedy_for(name, known, "`ladder queue token` lists them")
                raise UnknownRow(f"no token is called {name!r}: {remedy}")


def _token(row: Any) -> TokenRow:
    return TokenRow(
        id=row.id,
        name=row.name,
        right=Right(row.right),
        created_at=row.created_at,
        used_at=row.used_at,
    )
