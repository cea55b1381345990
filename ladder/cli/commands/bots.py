"""`ladder bots`: the registered bots."""

from typing import Annotated

from ladder.cli.commands import bots_add
from ladder.cli.completion import bot_names
from ladder.cli.help import CommandGroup
from ladder.cli.options import DEFAULT_DATABASE, Database, Json, argument, flag
from ladder.cli.run_options import BotOptions, takes_options

app = CommandGroup(help="List, add, check and retire bots.")

Name = Annotated[str, argument("NAME", "Name of a registered bot.", autocompletion=bot_names)]


@app.command("list")
def list_bots(
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
    retired: Annotated[bool, flag("--retired", "List retired bots too.")] = False,
) -> int:
    """List the bots, your own first, with the bot each is based on and what it changes."""
    from ladder.cli.database import open_or_preview
    from ladder.cli.output import print_out, stdout_console
    from ladder.match.registry.register import is_catalogue_bot
    from reports.bots import bot_document, bots_table
    from reports.layout.format import to_json

    with open_or_preview(db) as store:
        rows = sorted(store.bots.all(include_retired=retired), key=is_catalogue_bot)
    if json:
        print_out(to_json([bot_document(row) for row in rows]))
    else:
        stdout_console().print(bots_table(rows))
    return 0


@app.command("show")
def show(name: Name, db: Database = DEFAULT_DATABASE, json: Json = False) -> int:
    """Show what a bot is made of, what it can play, and which of its files have changed."""
    from ladder.cli.database import open_or_preview
    from ladder.cli.output import print_out
    from ladder.match.registry.registered import find_changes_since
    from reports.bots import bot_document, bot_text
    from reports.layout.format import to_json

    with open_or_preview(db) as store:
        row = store.bots.get(name)
    changes = find_changes_since(row)
    document = {**bot_document(row), "changes": changes}
    print_out(to_json(document) if json else bot_text(row, changes))
    return 0


app.command("add")(bots_add.add)
app.command("add-all")(bots_add.add_all)


@app.command("check")
@takes_options
def check(
    *,
    name: Name,
    time: bots_add.TrialTime = None,
    options: BotOptions,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Let a registered bot play a trial game against random on each kind of board.

    The games are not stored. The command reports what the bot's files and answers are like now.
    """
    import msgspec

    from ladder.cli.database import open_to_read
    from ladder.cli.output import print_error, print_out
    from ladder.match.registry.builtins import has_changed
    from ladder.match.registry.registered import resolve_bot
    from ladder.match.registry.trial import try_out
    from ladder.match.specs.compile import compile_launches
    from reports.bots import found_text

    with open_to_read(db) as store:
        row = store.bots.get(name)
    resolved = resolve_bot(row)
    compile_launches([resolved.launch])
    with bots_add.trial_bounds(db, options) as confinement:
        found = try_out(
            msgspec.structs.replace(resolved.launch, restart=row.revision.launch.restart),
            resolved.budgets,
            confinement,
            name=name,
            report=print_error,
            time_ms=bots_add.trial_ms(time),
        )
    for line in found_text(found):
        print_out(line)
    if has_changed(row, resolved):
        print_out(f"{name} has changed since it was registered")
    return 0


@app.command("retire")
def retire(name: Name, db: Database = DEFAULT_DATABASE) -> int:
    """Take a bot out of lists and runs; its games and its rating stay."""
    from ladder.cli.database import open_store
    from ladder.cli.output import print_out

    with open_store(db, create=False) as store:
        row = store.bots.retire(name)
    print_out(f"{row.name} is retired: it no longer plays, and its games stay")
    return 0


@app.command("unretire")
def unretire(name: Name, db: Database = DEFAULT_DATABASE) -> int:
    """Put a retired bot back into lists and runs, with its games and its rating.

    Its files must be those that were registered.
    """
    from ladder.cli.database import open_store
    from ladder.cli.output import print_out
    from ladder.match.registry.registered import resolve_unchanged

    with open_store(db, create=False) as store:
        row = store.bots.get(name)
        if row.retired_at is None:
            print_out(f"{name} is not retired")
            return 0
        resolve_unchanged(row)
        store.bots.unretire(name)
    print_out(f"{name} plays again, with its games and its rating")
    return 0


@app.command("rename")
def rename(
    name: Name,
    new_name: Annotated[str, argument("NEW", "New name of the bot.")],
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Give a bot another name; its games and stored runs show the new name.

    An interrupted run of the bot cannot be resumed under the new name.
    """
    from ladder.cli.database import open_store
    from ladder.cli.output import print_out
    from ladder.match.registry.register import refuse_catalogue_bot, refuse_name

    with open_store(db, create=False) as store:
        refuse_catalogue_bot(store.bots.get(name), "it keeps its name")
        if new_name != name:
            refuse_name(store, new_name)
        row = store.bots.rename(name, new_name)
    print_out(f"{name} is renamed to {row.name}")
    return 0


@app.command("delete")
def delete(name: Name, db: Database = DEFAULT_DATABASE) -> int:
    """Delete a bot that has no games; a bot with games can only be retired."""
    from ladder.cli.database import open_store
    from ladder.cli.output import print_out
    from ladder.match.registry.register import refuse_catalogue_bot

    with open_store(db, create=False) as store:
        refuse_catalogue_bot(
            store.bots.get(name), f"`ladder bots retire {name}` takes it out of runs"
        )
        store.bots.delete(name)
    print_out(f"{name} is deleted")
    return 0
