"""Stored games: typed models, migrations, and the few operations the rest needs."""
