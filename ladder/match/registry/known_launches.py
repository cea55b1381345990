"""The launches that this user knows: a marker file for each, in the user's own folder.

A database contains the commands of its bots, and another user may have written it. A marker file
means that this user registered a bot with this launch, or was warned before its first start.
Markers depend on the launch and not on the database, so a copy of one's own database needs no new
ones.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from db.records.bots import BotRow
from db.records.launch import Launch
from ladder.match.registry.builtins import is_own_player
from ladder.match.registry.placements import placement_of


def launches_folder() -> Path:
    """Return the folder of markers: below ``LADDER_STATE`` or the user's state folder.

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
    """Record that this user knows a launch, if the folder of markers can be written.

    Args:
        spec: the bot's specification, from which the launch is made at every start.
        launch: the stored launch.

    """
    text = _describe_launch(spec, launch)
    try:
        mark = _marker_path(text)
        mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        mark.write_text(text + "\n", encoding="utf-8")
    except (OSError, RuntimeError):
        return  # the user will only see the warning again


def unknown_bots(bots: Iterable[BotRow]) -> list[BotRow]:
    """Return the bots whose launches this user does not know.

    Built-in players are known, and so are bots of the queue, whose submission needs a right.
    """
    unknown: dict[str, BotRow] = {}
    for bot in bots:
        launch = bot.revision.launch
        starts = not is_own_player(bot) and not launch.is_description_only
        if starts and placement_of(bot) is None and not _is_marked(bot.spec, launch):
            unknown[bot.name] = bot
    return list(unknown.values())


def _is_marked(spec: str, launch: Launch) -> bool:
    try:
        return _marker_path(_describe_launch(spec, launch)).exists()
    except (OSError, RuntimeError):
        return False


def _describe_launch(spec: str, launch: Launch) -> str:
    """Return everything that decides what a stored bot starts, as one line of ASCII."""
    origin = launch.origin
    copy = None if origin is None else [origin.place, origin.inner, origin.digest]
    return json.dumps([spec, launch.folder, launch.python, copy])


def _marker_path(description: str) -> Path:
    """Return the path of a marker file, whose content is only for human readers."""
    return launches_folder() / hashlib.sha256(description.encode()).hexdigest()
