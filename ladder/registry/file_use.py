"""What a trial shows of a bot's files: which it uses, and what they change."""

import os
from collections.abc import Collection, Iterable

from db.records.archives import PackedArchive
from ladder.names import listed
from ladder.registry.specs.archive_diff import diff_files
from ladder.registry.specs.spec import ResolvedBot
from ladder.registry.stored_trial import MOST_NAMED
from ladder.registry.trial import TrialResult
from ladder.visible import visible


def describe_change(
    former: PackedArchive | None, packed: PackedArchive | None, used: Collection[str]
) -> str:
    """Return a note about what a version changes in its used files, such as ``mybot.py +3 -1``."""
    if former is None or packed is None:
        return ""
    found = diff_files(former, packed)
    shown = [each for each in found if each.path in used or each.after is None] or found
    return listed([visible(each.summary) for each in shown], MOST_NAMED)


def used_files(bot: ResolvedBot, found: TrialResult) -> tuple[str, ...] | None:
    """Return the stored files that count for a bot; None if that is unknown, and all do."""
    return None if bot.launch.origin is not None else opened_files(bot, found)


def opened_files(bot: ResolvedBot, found: TrialResult) -> tuple[str, ...] | None:
    """Return the stored files that a bot has used in its trial; None if that is unknown."""
    if bot.packed is None or found.opened is None:
        return None
    stored = {file.path for file in bot.packed.manifest.files}
    return tuple(sorted(stored & {*bot.named, *found.opened}))


def files_naming_folder(bot: ResolvedBot, used: Iterable[str]) -> tuple[str, ...]:
    """Return the used text files of a bot that name the folder from which it was added."""
    folder = os.fsencode(bot.launch.folder.rstrip("/") + "/")
    if bot.packed is None or folder == b"/":
        return ()
    texts = ((path, (bot.packed.root / path).read_bytes()) for path in used)
    return tuple(path for path, text in texts if b"\0" not in text and folder in text)
