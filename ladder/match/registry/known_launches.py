"""Which launches this user knows: a mark for each, in a folder that belongs to no database.

A database says how its bots are started, and somebody else may have written it. A mark says that
this user has registered a bot with that launch, or was told of it before its first start. Marks go
by launch and not by database, so that a copied or moved database of one's own needs no new ones.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from db.records.bots import BotRow
from db.records.launch import Launch
from ladder.match.registry.builtins import is_own


def launches_folder() -> Path:
    """The folder of the marks: in ``LADDER_STATE``, or in the user's folder for such state.

    Raises:
        RuntimeError: the user has no home folder.

    """
    given = os.environ.get("LADDER_STATE")
    if given:
        return Path(given) / "launches"
    base = os.environ.get("XDG_STATE_HOME")
    state = Path(base) if base else Path.home() / ".local" / "state"
    return state / "connect4-ladder" / "launches"


def mark_launch(spec: str, launch: Launch) -> None:
    """Note that this user knows a launch; without effect where the folder cannot be written.

    Args:
        spec: the bot's specification, which the launch is made from at every start.
        launch: the launch as it is stored.

    """
    text = _described(spec, launch)
    try:
        mark = _mark(text)
        mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        mark.write_text(text + "\n", encoding="utf-8")
    except (OSError, RuntimeError):
        return  # the warning then comes again, which is no reason to fail


def unknown_bots(bots: Iterable[BotRow]) -> list[BotRow]:
    """The bots whose launches have no mark, each once; never a player of this installation."""
    unknown: dict[str, BotRow] = {}
    for bot in bots:
        launch = bot.revision.launch
        starts = not is_own(bot) and not launch.is_description_only
        if starts and not _is_marked(bot.spec, launch):
            unknown[bot.name] = bot
    return list(unknown.values())


def _is_marked(spec: str, launch: Launch) -> bool:
    try:
        return _mark(_described(spec, launch)).exists()
    except (OSError, RuntimeError):
        return False


def _described(spec: str, launch: Launch) -> str:
    """Everything of a stored bot that decides what is started, as one line of ASCII."""
    origin = launch.origin
    copy = None if origin is None else [origin.place, origin.inner, origin.digest]
    return json.dumps([spec, launch.folder, launch.python, copy])


def _mark(described: str) -> Path:
    """The file whose presence is the mark; its content is for people."""
    return launches_folder() / hashlib.sha256(described.encode()).hexdigest()
