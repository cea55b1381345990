"""Tokens, by which users of the web server show a right."""

import hashlib
import secrets

from db.records.tokens import Right, TokenRow
from db.store import Store
from ladder.names import check_name

RANDOM_BYTES = 32


def create_token(store: Store, name: str, right: Right) -> tuple[str, TokenRow]:
    """Store a new token; return its secret, which nobody can read again, and its row.

    Raises:
        UsageError: the name is not valid.
        NameTaken: another token has the name.

    """
    check_name(name, "a token's name")
    secret = secrets.token_urlsafe(RANDOM_BYTES)
    return secret, store.tokens.add(name, hash_token(secret), right)


def find_token(store: Store, secret: str) -> TokenRow | None:
    """Return the token with this secret, or None."""
    return store.tokens.find(hash_token(secret))


def hash_token(secret: str) -> str:
    """Return the stored form of a secret.

    A fast hash is enough: nobody can try all values of 32 random bytes.
    """
    return hashlib.sha256(secret.encode()).hexdigest()
