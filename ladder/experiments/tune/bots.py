"""The bots of a tuning's gate: the original, and the tuned one, kept out of lists and runs."""

from dataclasses import dataclass

from db.records.bots import BotRow, NewBot
from db.store import Store
from ladder.errors import UsageError
from ladder.experiments.gate.result import Verdict
from ladder.experiments.gate.session import GateOutcome
from ladder.experiments.tune.parameters import Setting
from ladder.experiments.tune.task import TuningTask
from ladder.match.registry.register import RegistrationRequest, examine, known_bots, save_bot
from ladder.names import check_name

TUNED, UNTUNED = "tuned", "untuned"
"""Beginnings of the names under which bots are kept that have none of their own."""
DIGITS = 8
"""Of a content hash, in such a name."""


@dataclass(frozen=True, slots=True)
class Registration:
    """The end of ``--register``."""

    name: str
    """Of the bot that was asked for."""
    is_registered: bool
    reason: str
    """Why, in a sentence's half."""


def original_of(store: Store, task: TuningTask) -> BotRow | NewBot:
    """The bot before the tuning: a registered one of this content, or one that passed its trial.

    Raises:
        UsageError: it failed its trial; the message says how.
        SpecError: the specification cannot be read.

    """
    spec = task.template.original
    resolved = task.resolve(spec)
    for bot in known_bots(store).values():
        same = bot.revision.content_hash == resolved.content_hash
        if same and bot.revision.launch.folder == resolved.launch.folder:
            return bot
    return _examined(store, task, spec, f"{UNTUNED}-{resolved.content_hash[:DIGITS]}", None, "")


def tuned_of(
    store: Store, task: TuningTask, setting: Setting, original: BotRow, run_id: int
) -> BotRow:
    """The tuned bot, stored but retired: no list and no run shows it.

    Raises:
        UsageError: it failed its trial; the message says how.

    """
    spec = task.template.spec_at(setting)
    resolved = task.resolve(spec)
    if resolved.content_hash == original.revision.content_hash:
        return original
    name = f"{TUNED}-{resolved.content_hash[:DIGITS]}"
    known = known_bots(store).get(name)
    if known is not None and known.revision.content_hash == resolved.content_hash:
        return known
    note = f"tuned by run {run_id} from {task.template.title}"
    return stored(store, _examined(store, task, spec, name, original.name, note))


def _examined(
    store: Store, task: TuningTask, spec: str, name: str, based_on: str | None, note: str
) -> NewBot:
    request = RegistrationRequest(
        name=name,
        spec=spec,
        folder=task.folder,
        based_on=based_on,
        note=note,
        python=task.python,
        patterns=task.patterns,
        restart=task.settings.restart,
    )
    return examine(known_bots(store), request, task.settings.confinement).new


def stored(store: Store, bot: BotRow | NewBot) -> BotRow:
    """A bot in the store; a new one is retired at once."""
    if isinstance(bot, BotRow):
        return bot
    save_bot(store, bot, replace=False)
    return store.bots.retire(bot.name)


def refuse_register(store: Store, name: str) -> None:
    """Refuse a name for the winner that cannot be given, before any work is done.

    Raises:
        UsageError: it is no name, or another bot has it.

    """
    check_name(name, "--register")
    known = known_bots(store).get(name)
    if known is not None and not known.change.startswith(f"{TUNED} by run "):
        raise UsageError(f"--register: a bot called {name} is already registered: choose another")


def keep_winner(store: Store, tuned: BotRow, gated: GateOutcome, name: str) -> Registration:
    """Register the tuned bot under a name of its own, when it has won the gate.

    It has won when the gate passes it and it took more than half of the points: a gate also passes
    a bot that is no better.

    Raises:
        NameTaken: a bot of that name was registered meanwhile.

    """
    estimate = gated.result.deciding.estimate
    if gated.result.verdict is not Verdict.PASS:
        return Registration(name, False, f"the gate's verdict is {gated.result.verdict.value}")
    if estimate.score is None or estimate.score <= 0.5:
        return Registration(
            name, False, "the gate passed it, but it scored no more than the original"
        )
    known = known_bots(store).get(name)
    if known is not None:
        if known.revision.content_hash == tuned.revision.content_hash:
            return Registration(name, True, "it was registered before")
        raise UsageError(f"--register: a bot called {name} is already registered: choose another")
    save_bot(store, _renamed(tuned, name), replace=False)
    return Registration(name, True, "it won the gate")


def _renamed(bot: BotRow, name: str) -> NewBot:
    from db.records.bots import NewRevision

    revision = bot.revision
    return NewBot(
        name=name,
        family=bot.family,
        spec=bot.spec,
        based_on=bot.based_on,
        change=bot.change,
        revision=NewRevision(
            content_hash=revision.content_hash,
            launch=revision.launch,
            budgets=revision.budgets,
            boards=revision.boards,
            files=revision.files,
        ),
    )
