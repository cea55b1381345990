"""`ladder queue`: experiments that wait their turn and share the machines."""

from ladder.cli.commands.queue import add, entries, token, work
from ladder.cli.help import CommandGroup

app = CommandGroup(help="Let experiments wait their turn and share the machines.")
app.command("add", context_settings={"ignore_unknown_options": True})(add.add)
app.command("list")(entries.list_)
app.command("show")(entries.show)
app.command("cancel")(entries.cancel)
app.command("pause")(entries.pause)
app.command("resume")(entries.resume)
app.command("first")(entries.first)
app.command("work")(work.work)
app.command("token")(token.token)
