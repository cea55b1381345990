"""Stored games: models, migrations, records and the store."""
