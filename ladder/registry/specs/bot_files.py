"""The files of a bot whose specification was read, and what lies beside them."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from bots.errors import SpecError
from ladder.registry.specs.folder_files import (
    COMPILED,
    find_folder_files,
    find_local_modules,
    find_tree_files,
    is_ladders_file,
    select_files,
)
from ladder.registry.specs.forms import SpecReader


def find_bot_files(
    reader: SpecReader, *, patterns: Sequence[str], most_mb: int, is_tree: bool
) -> tuple[list[Path], list[Path]]:
    """Return the files that a bot's specification names or imports, and its others.

    Args:
        reader: the specification that was read.
        patterns: what the user names; it replaces the whole folder.
        most_mb: the limit on all files together, in MiB.
        is_tree: whether all files of the root belong to the bot.

    Raises:
        SpecError: its folder holds too much to be one bot.

    """
    most_bytes = most_mb << 20
    modules = find_local_modules(reader.scripts, *(reader.import_folders or (reader.home,)))
    named, others = [*modules], list[Path]()
    for path in reader.named:
        if not path.is_dir() or path.is_symlink():
            named.append(path)
        else:
            is_around = reader.home.is_relative_to(path)  # which names none of its files
            (others if is_around else named).extend(find_folder_files(path, most_bytes) or ())
    if patterns:
        named += select_files(reader.folder, patterns)
    elif is_tree:
        others += find_tree_files(reader.root)
    elif reader.is_whole:
        whole = find_folder_files(reader.home, most_bytes)
        if whole is None and not modules:
            raise SpecError(
                f"{reader.home} holds too much to be one bot: put the bot into a folder of its "
                "own, or name its files by patterns, as in `ladder bots add NAME SPEC --files "
                "'*.js'`"
            )
        others += whole or ()
    return named, others


def find_left_out(home: Path, paths: Iterable[Path]) -> tuple[str, ...]:
    """Return what lies in a folder and holds nothing of the bot."""
    taken = {path.relative_to(home).parts[0] for path in paths if home in path.parents}
    with suppress(OSError):
        return tuple(
            path.name
            for path in sorted(home.iterdir())
            if path.name not in {*taken, COMPILED} and not is_ladders_file(path)
        )
    return ()
