"""The comparison of a folder with the stored version of the bot in it."""

import os
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from db.records.archives import ArchivedFile, Manifest, UnpackedArchive
from db.records.bots import BotRow
from db.records.launch import Launch
from db.store import Store
from ladder.errors import UsageError
from ladder.names import listed
from ladder.registry.entrants import unpack_files
from ladder.registry.specs.archive import is_same_file
from ladder.registry.specs.folder_files import is_output
from ladder.registry.specs.spec import ResolvedBot, identity_of

MOST_NAMED = 3
"""Most files or bots of a kind that a message names."""
FileReader = Callable[[BotRow], UnpackedArchive | None]
"""Returns the stored files of a bot, unpacked on this machine; None if it has none."""


@dataclass(frozen=True, slots=True)
class FolderChanges:
    """How the files in a folder differ from those of a stored version."""

    changed: Mapping[str, str]
    """``changed`` or ``gone`` by stored file, for those that differ."""
    used: Collection[str] | None = None
    """The stored files that the version has used; None if that is unknown, and all count."""
    new: Collection[str] = ()
    """The files that belong to the bot now, and are not stored."""
    named: Collection[str] = ()
    """Those of them that its specification names, or what that imports."""

    @property
    def counting(self) -> list[str]:
        """The changed files that make another bot."""
        return [path for path in self.changed if self.used is None or path in self.used]

    def is_same(self, *, is_strict: bool = False) -> bool:
        """Return whether the stored version stands for the folder.

        Args:
            is_strict: whether a changed file counts that the bot has not used yet, because it may
                read a book late.

        """
        return not (self.changed if is_strict else self.counting)

    @property
    def words(self) -> str:
        """What differs, such as ``mybot.py changed; notes.txt is new and not used``; or ""."""
        counting = set(self.counting)
        parts = [
            _named(
                [
                    path
                    for path, each in self.changed.items()
                    if each == what and (path in counting) is counts
                ],
                f" {what}" if counts else f" {what} and not used",
            )
            for counts in (True, False)
            for what in ("changed", "gone")
        ]
        for names, ending in (
            ([name for name in self.new if name in self.named], " new"),
            ([name for name in self.new if name not in self.named], " new and not used"),
        ):
            parts.append(_named(names, f" {'is' if len(names) == 1 else 'are'}{ending}"))
        return "; ".join(filter(None, parts))


def compare_folder(
    launch: Launch,
    manifest: Manifest,
    found: Iterable[ArchivedFile] = (),
    outputs: Collection[Path] = (),
) -> FolderChanges | None:
    """Return how the folder from which a bot was added differs from its stored files.

    Args:
        launch: the launch of the stored version.
        manifest: its files.
        found: the files in the folder that belong to the bot now, as far as they are known.
        outputs: files that the command writes, which are never the bot's.

    Returns:
        None if they cannot be compared: the bot was taken from git, or its folder or all of its
        files are gone.

    """
    folder = Path(launch.folder)
    if launch.archive is None or launch.origin is not None or not launch.folder:
        return None
    now = {file.path: file.sha256 for file in found}
    known = {file.path for file in manifest.files} | {name for name, _ in manifest.links}
    if not any((folder / name).is_file() for name in known):
        return None
    differing = [
        *(
            file.path
            for file in manifest.files
            if now.get(file.path) != file.sha256 and not is_same_file(file, folder / file.path)
        ),
        *(name for name, target in manifest.links if not _leads_to(folder / name, target)),
    ]
    changed = {
        path: "changed" if os.path.lexists(folder / path) else "gone"
        for path in differing
        if not is_output(folder / path, outputs)
    }
    used = None if launch.used is None else {*launch.used, *(name for name, _ in manifest.links)}
    return FolderChanges(changed, used, sorted(now.keys() - known))


def compare_bot(
    row: BotRow, manifest: Manifest | None, bot: ResolvedBot, outputs: Collection[Path] = ()
) -> FolderChanges | None:
    """Return how a bot differs from a stored version of the same folder and command.

    Args:
        row: the stored version.
        manifest: its files; None if it has none.
        bot: the bot as its folder is now, packed.
        outputs: files that the command writes.

    Returns:
        None if it is no version of the same, or if they cannot be compared.

    """
    launch = row.revision.launch
    if manifest is None or bot.packed is None or launch.folder != bot.launch.folder:
        return None
    if identity_of(msgspec.structs.replace(bot.launch, archive=launch.archive)) != (
        row.revision.content_hash
    ):  # it is started in another way
        return None
    if bot.launch.patterns not in ((), launch.patterns):
        return None
    changes = compare_folder(launch, manifest, bot.packed.manifest.files, outputs)
    return None if changes is None else replace(changes, named=bot.named)


def stored_files(store: Store, row: BotRow) -> UnpackedArchive | None:
    """Return the stored files of a bot, unpacked on this machine; None if it has none.

    Raises:
        UsageError: they are damaged, or there is no room for them.

    """
    return None if row.revision.launch.archive is None else unpack_files(store, row)


def stored_manifest(store: Store, row: BotRow) -> Manifest | None:
    """Return the names and hashes of the stored files of a bot; None if it has none."""
    archive = row.revision.launch.archive
    return None if archive is None else store.archives.manifest(archive)


def find_origin_changes(
    store: Store, bot: BotRow, outputs: Collection[Path] = ()
) -> FolderChanges | None:
    """Return how the folder from which a bot was added differs; None if that is unknown."""
    manifest = stored_manifest(store, bot)
    if manifest is None:
        return None
    return compare_folder(bot.revision.launch, manifest, outputs=outputs)


def refuse_stale(store: Store, candidate: BotRow, outputs: Collection[Path] = ()) -> None:
    """Refuse the candidate of a gate whose original files have changed.

    Raises:
        UsageError: they have: a gate must never pass another code than its author means.

    """
    changes = find_origin_changes(store, candidate, outputs)
    if changes is not None and not changes.is_same(is_strict=True):
        raise UsageError(
            f"{candidate.name} is not what its files are now ({changes.words}): `ladder gate "
            f"{shlex.quote(candidate.spec)}` tests the files in "
            f"{candidate.revision.launch.folder}, and `--as-stored` the stored version"
        )


def describe_changed_origins(store: Store, bots: Iterable[BotRow]) -> str:
    """Return a line about the bots whose original files have changed so that it counts, or "".

    Of several versions with one specification and folder only the newest is compared.
    """
    newest: dict[tuple[str, str], BotRow] = {}
    for bot in sorted(bots, key=lambda each: each.revision.created_at):
        if bot.revision.launch.origin is None:
            newest[bot.revision.launch.folder, bot.spec] = bot
    found = [(bot.name, find_origin_changes(store, bot)) for bot in newest.values()]
    lines = [
        f"{name} ({changes.words})"
        for name, changes in found
        if changes is not None and not changes.is_same()
    ]
    if not lines:
        return ""
    shown = listed(lines, MOST_NAMED)
    return f"the original files have changed, and the stored versions play: {shown}"


def _named(names: list[str], ending: str) -> str:
    return listed(names, MOST_NAMED) + ending if names else ""


def _leads_to(link: Path, target: str) -> bool:
    return link.is_symlink() and link.resolve() == (link.parent / target).resolve()
