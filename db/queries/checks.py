"""The database's own integrity checks."""

from db.connection.database import Database
from db.errors import Corrupt


def check(database: Database) -> list[str]:
    """The complaints of the database's own checks; empty when it is sound."""
    if database.place.path is None:
        return []  # a server looks after its own files
    try:
        with database.reading() as connection:
            found = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
            complaints = [str(line) for line in found if line != "ok"]
            for table, row, parent, _ in connection.exec_driver_sql("PRAGMA foreign_key_check"):
                complaints.append(f"row {row} of {table} points at nothing in {parent}")
    except Corrupt as error:
        return [str(error)]
    return complaints
