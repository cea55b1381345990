"""The simplest players: the companions that every ladder needs at its foot."""
