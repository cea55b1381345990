"""`ladder bots`: the registered bots."""

from pathlib import Path

from db.records.archives import UnpackedArchive
from db.store import Store
from ladder.cli.commands import bots_add
from ladder.cli.database import open_or_preview, open_store, open_to_read
from ladder.cli.help import CommandGroup
from ladder.cli.options import DEFAULT_DATABASE, BotName, Database
from ladder.cli.output import print_error, print_out, print_table_or_json, report_written
from ladder.cli.run_options import BotOptions
from ladder.cli.stored_specs import trial_bounds
from ladder.errors import UsageError
from ladder.names import check_line
from ladder.registry.builtins import shown_first
from ladder.registry.entrants import (
    refuse_unplayable,
    unpack_files,
    unpacked_launch,
)
from ladder.registry.registration import delete_bot, refuse_catalogue_bot, refuse_name
from ladder.registry.same_bot import find_origin_changes, stored_manifest
from ladder.registry.specs.archive import write_out
from ladder.registry.specs.archive_diff import diff_files
from ladder.registry.specs.spec import resolve_own_player
from ladder.registry.specs.start_command import compile_players
from ladder.registry.trial import try_out
from reports.bots import (
    bot_text,
    bots_document,
    diff_lines,
    found_text,
    print_bots,
    shown_document,
)
from reports.layout.format import to_json

app = CommandGroup(help="List, add, check and retire bots.")


@app.command("list")
def list_bots(
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
    all_: bool = False,
    retired: bool = False,
) -> int:
    """List the bots, your own first, with the bot each is based on and what it changes.

    Of the built-in players only those are listed that serve as opponents. The others can be named
    in all commands.

    Options:
      --all: List all built-in players.
      --retired: List retired bots too.

    Example:
      ladder bots list --all
    """
    with open_or_preview(db) as store:
        bots = store.bots.all(include_retired=retired)
        named = [bot.name for bot in bots if all_ or bot.retired_at is not None]
        rows = shown_first(bots, named)
    print_table_or_json(rows, bots_document, print_bots, json=json)
    if len(rows) < len(bots) and not json:
        print_error(f"{len(bots) - len(rows)} more built-in players: `ladder bots list --all`")
    return 0


@app.command("show")
def show(
    name: BotName,
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
) -> int:
    """Show what a bot can play, its stored files, and which of the original ones have changed.

    Arguments:
      NAME: Name of a registered bot.

    Example:
      ladder bots show v4
    """
    with open_or_preview(db) as store:
        row = store.bots.get(name)
        manifest = stored_manifest(store, row)
        changes = find_origin_changes(store, row)
    document = shown_document(row, manifest, changes)
    print_out(to_json(document) if json else bot_text(row, manifest, changes))
    return 0


@app.command("extract")
def extract(
    name: BotName,
    folder: Path,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Write the stored files of a bot into a folder.

    Arguments:
      NAME: Name of a registered bot.
      FOLDER: New or empty folder for the files.

    Example:
      ladder bots extract mybot mybot-files
    """
    with open_to_read(db) as store:
        packed = _unpacked(store, name)
    write_out(packed.root, folder)
    report_written(f"the files of {name}", folder)
    return 0


@app.command("diff")
def diff(
    name: BotName,
    other: BotName,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Show how the stored files of a bot differ from those of another one, such as its parent.

    Text files are shown as a unified diff, others by size and hash.

    Arguments:
      NAME: Name of a registered bot, whose lines are marked by -.
      OTHER: Name of another one, whose lines are marked by +.

    Example:
      ladder bots diff mybot-1 mybot-2
    """
    with open_to_read(db) as store:
        found = diff_files(_unpacked(store, name), _unpacked(store, other))
    for line in diff_lines(found):
        print_out(line)
    if not found:
        print_error(f"{name} and {other} have the same files")
    return 0


def _unpacked(store: Store, name: str) -> UnpackedArchive:
    """Return the stored files of a bot. Raises UsageError if it has no files."""
    row = store.bots.get(name)
    if row.revision.launch.archive is None:
        raise UsageError(f"the database holds no files of {name}: only those of foreign bots")
    return unpack_files(store, row)


@app.command("note")
def note(
    name: BotName,
    text: str,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Store what a bot changes, in one line, in place of its note.

    Arguments:
      NAME: Name of a registered bot.
      TEXT: The note; '' removes it.

    Example:
      ladder bots note mybot-2 'looks two plies ahead'
    """
    line = check_line(text, "a note")
    with open_store(db, create=False) as store:
        refuse_catalogue_bot(store.bots.get(name), "it keeps its note")
        store.bots.note(name, line)
    print_out(f"the note of {name} is stored")
    return 0


app.command("add")(bots_add.add)
app.command("add-all")(bots_add.add_all)


@app.command("check")
def check(
    *,
    name: BotName,
    time: str | None = None,
    options: BotOptions,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Let a registered bot play a trial game against random on each kind of board.

    It plays from its stored files, and the games are not stored.

    Arguments:
      NAME: Name of a registered bot.

    Options:
      --time 100ms|2s: Time per move in the trial. [2s and 60s of overage for kaggle: bots, 100ms
        for others]

    Example:
      ladder bots check mybot
    """
    time_ms = bots_add.trial_ms(time)
    with open_to_read(db) as store:
        row = store.bots.get(name)
        stored = row.revision.launch
        if stored.is_own:
            now = resolve_own_player(stored)
            launch, budgets = stored, now.budgets
            is_changed, words = now.content_hash != row.revision.content_hash, ""
        else:
            launch, budgets = unpacked_launch(store, row), ()
            changes = find_origin_changes(store, row)
            words = "" if changes is None else changes.words
            is_changed = bool(words)
    compile_players([launch])
    with trial_bounds(db, options) as confinement:
        found = try_out(launch, budgets, confinement, name=name, time_ms=time_ms)
    for line in found_text(found):
        print_out(line)
    if is_changed:
        print_out(f"{name} has changed since it was registered" + (words and f" ({words})"))
    return 0


@app.command("retire")
def retire(
    name: BotName,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Take a bot out of lists and runs; its games and its rating stay.

    Arguments:
      NAME: Name of a registered bot.

    Example:
      ladder bots retire mybot
    """
    with open_store(db, create=False) as store:
        row = store.bots.retire(name)
    print_out(f"{row.name} is retired: it no longer plays, and its games stay")
    return 0


@app.command("unretire")
def unretire(
    name: BotName,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Put a retired bot back into lists and runs, with its games and its rating.

    Arguments:
      NAME: Name of a registered bot.

    Example:
      ladder bots unretire mybot
    """
    with open_store(db, create=False) as store:
        row = store.bots.get(name)
        if row.retired_at is None:
            print_out(f"{name} is not retired")
            return 0
        refuse_unplayable(row)
        store.bots.unretire(name)
    print_out(f"{name} plays again, with its games and its rating")
    return 0


@app.command("rename")
def rename(
    name: BotName,
    new_name: str,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Give a bot another name; its games and stored runs show the new name.

    An interrupted run of the bot is resumed by its command with the new name, or by --resume.

    Arguments:
      NAME: Name of a registered bot.
      NEW: New name of the bot.

    Example:
      ladder bots rename mybot mybot-1
    """
    with open_store(db, create=False) as store:
        refuse_catalogue_bot(store.bots.get(name), "it keeps its name")
        if new_name != name:
            refuse_name(store, new_name)
        row = store.bots.rename(name, new_name)
    print_out(f"{name} is renamed to {row.name}")
    return 0


@app.command("delete")
def delete(
    name: BotName,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Delete a bot that has no games, and its files; a bot with games can only be retired.

    Arguments:
      NAME: Name of a registered bot.

    Example:
      ladder bots delete mybot
    """
    with open_store(db, create=False) as store:
        delete_bot(store, name)
    print_out(f"{name} is deleted")
    return 0
