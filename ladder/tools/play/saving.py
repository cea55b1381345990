"""Saving a person's finished game in the database, or in a file if that fails."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from db.companion_files import UNSAVED, folder_beside
from db.errors import DatabaseError
from db.records.games import NewHumanGame
from db.store import Store, find_database_file
from engine.position import format_moves
from ladder.errors import UsageError
from ladder.tools.play.game import InteractiveGame


class NotSaved(UsageError):
    """A finished game could not be stored in the database."""


def save_game(
    game: InteractiveGame, database: str, opened: Callable[[], AbstractContextManager[Store]]
) -> int:
    """Store a finished game and return its key.

    Args:
        game: the game, which is over.
        database: its file or URL; if storing fails, the game is written to a file beside it.
        opened: opens the database.

    Raises:
        NotSaved: storing failed; the message names the file with the game.

    """
    record = game.record()
    try:
        with opened() as store:
            return store.human_games.add(record)
    except DatabaseError as error:
        place = _save_to_file(record, game.bot.name, database)
        raise NotSaved(f"the game was not saved: {error}; {place}") from error


def _save_to_file(record: NewHumanGame, bot: str, database: str) -> str:
    """Write the game to a file and return a sentence that names it."""
    moves = format_moves(record.moves)
    document = {
        "bot": bot,
        "bot_side": record.bot_side,
        "board": record.board,
        "moves": moves,
        "result": record.result.value,
        "termination": record.termination.value,
        "detail": record.detail,
        "budget": dict(record.budget),
        "seed": record.seed,
        "started": record.started_at,
        "duration_us": record.duration_us,
    }
    begun = time.strftime("%Y%m%d-%H%M%S", time.localtime(record.started_at))
    file = folder_beside(find_database_file(database), UNSAVED) / f"game-{begun}-{record.seed}.json"
    try:
        file.parent.mkdir(exist_ok=True)
        place = _write_new(file, msgspec.json.format(msgspec.json.encode(document)))
    except OSError as error:
        return f"{file} cannot be written either ({error.strerror}): note {record.board} {moves}"
    return f"it was written to {place}"


def _write_new(file: Path, text: bytes) -> Path:
    """Write a new file, with a number in its name if the name is taken, and return its path."""
    number, place = 1, file
    while True:
        try:
            with place.open("xb") as stream:
                stream.write(text + b"\n")
        except FileExistsError:
            number += 1
            place = file.with_stem(f"{file.stem}-{number}")
        else:
            return place
