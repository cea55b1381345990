"""The task of a tuning, its original bot, and the tuned one, which is stored as retired."""

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from db.records.bots import BotRow, NewBot
from db.records.launch import Launch
from db.records.run_settings import StoredTuning
from db.records.runs import RunKind, division_label
from db.store import Store
from engine.seeds import derive_seed
from ladder.errors import UsageError
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.result import Verdict
from ladder.experiments.gate.session import GateOutcome, gate_pairing
from ladder.experiments.tune.parameters import ParameterValues, Template
from ladder.names import check_name, unknown_bot
from ladder.registry.entrants import unpack_files, unpacked_launch
from ladder.registry.from_spec import base_name, free_name, name_with_values
from ladder.registry.registration import (
    RegistrationRequest,
    examine,
    known_bots,
    save_bot,
)
from ladder.registry.specs.spec import BotSource, ResolvedBot, identity_of, pack_bot, read_spec
from ladder.runs.settings import RunSettings

A, B = "a", "b"
"""Names of the two sides of a step."""
_GATE = 0x6A7E
"""The stream of random numbers of the gate, apart from those of the search."""


def gate_note(run_id: int) -> str:
    """Return the note by which the gate of a tuning is found."""
    return f"the end of tuning run {run_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningTask:
    """A tuning to be played."""

    template: Template
    settings: RunSettings
    """The conditions of the steps and the gate; its games are those of the steps."""
    pairs: int
    """Pairs per step."""
    test: GateTest
    folder: Path
    """The folder in which the specification was written and foreign bots run."""
    python: str | None = None
    """The interpreter for ``python:`` and ``kaggle:`` bots; None for python3 on PATH."""
    patterns: tuple[str, ...] = ()
    """Patterns of the files that belong to the bot, for `ladder.registry.specs.spec.BotSource`."""
    base: str | None = None
    """The stored bot before the tuning; None: that of the files in the folder."""

    @property
    def steps(self) -> int:
        """The number of steps, rounded up."""
        return math.ceil((self.settings.target_games or 0) / (2 * self.pairs))

    @property
    def games(self) -> int:
        """The games of all steps together."""
        return 2 * self.pairs * self.steps

    def source(self, spec: str) -> BotSource:
        """Return the bot of a specification with the files of this tuning."""
        return BotSource(spec, self.folder, python=self.python, patterns=self.patterns)

    def launch_at(self, original: Launch, values: ParameterValues) -> Launch:
        """Return the launch of the bot with values, from the files that were packed once.

        Raises:
            SpecError: a built-in player refuses the values.

        """
        if original.is_own:
            return read_spec(self.source(self.template.spec_at(values))).launch
        command = self.template.command_at(original.command, self.template.texts(values))
        return msgspec.structs.replace(original, command=command)

    @property
    def conditions(self) -> str:
        """The label of the division."""
        return division_label(self.settings.division())

    @property
    def side_settings(self) -> RunSettings:
        """The settings under which the two sides of each step meet."""
        return replace(self.settings, bots=(A, B), pairing=gate_pairing(A, B))

    def run_settings(self, content_hash: str) -> RunSettings:
        """Return the settings of the search's run.

        Its number of games is part of its identity, because the step sequences depend on it. The
        question of the gate is not.

        Args:
            content_hash: The content hash of the original bot.

        """
        search = StoredTuning(
            spec=self.template.spec,
            original=content_hash,
            parameters=tuple(str(each) for each in self.template.parameters),
            games=self.games,
            pairs=self.pairs,
            python=self.python,
            files=self.patterns,
        )
        return replace(self.settings, games=self.games, experiment={"tuning": search})

    def gate_settings(self, names: tuple[str, str], seed: int, run_id: int) -> RunSettings:
        """Return the settings of the gate, which has the conditions of the steps and new seeds.

        Args:
            names: The names of the tuned bot and the original.
            seed: The seed of the tuning.
            run_id: The run of the tuning.

        """
        return replace(
            self.settings,
            kind=RunKind.GATE,
            bots=tuple(dict.fromkeys(names)),
            pairing=gate_pairing(*names),
            games=self.test.games,
            seed=derive_seed(seed, _GATE),
            rated=False,
            options={**self.settings.options, "seed": seed},
            note=gate_note(run_id),
        )


TUNED = "tuned by run "
"""The beginning of the change of a tuned bot."""


@dataclass(frozen=True, slots=True)
class Registration:
    """The outcome of registering the tuned bot."""

    name: str
    is_registered: bool
    reason: str
    """The reason why it is registered or not."""


def original_of(store: Store, task: TuningTask) -> NewBot:
    """Return the bot before the tuning: a registered one of equal content, or a new one.

    Raises:
        UsageError: its files cannot be packed, or the new bot failed its trial.
        SpecError: the specification cannot be read, or a file or program is missing.

    """
    if task.base is not None:
        return _stored_original(store, task, task.base)
    bot = pack_bot(task.source(task.template.original))
    content_hash = bot.content_hash
    for row in known_bots(store).values():
        same = row.revision.content_hash == content_hash and row.revision.launch.can_play
        if same and row.revision.launch.folder == bot.launch.folder:
            unpacked_launch(store, row)
            return row
    texts = {} if bot.launch.is_own else task.template.texts(task.template.start)
    name = _free_name(store, base_name(task.template.spec), texts, content_hash)
    return _examined(store, task, bot, task.template.original, name, None, "")


def _stored_original(store: Store, task: TuningTask, name: str) -> BotRow:
    """Return a stored bot that is the specification with its start values. Raises UsageError."""
    known = known_bots(store)
    if name not in known:
        raise unknown_bot(name, known, "base")
    row, template = known[name], task.template
    unpacked_launch(store, row)  # refuses one without its files
    command = row.revision.launch.command
    is_same = len(shlex.split(template.spec.partition(":")[2])) == len(command)
    if not is_same or template.command_at(command, template.texts(template.start)) != command:
        raise UsageError(f"{name} is not {template.original!r}: leave it out", option="base")
    return row


def tuned_of(
    store: Store, task: TuningTask, values: ParameterValues, original: BotRow, run_id: int
) -> BotRow:
    """Return the tuned bot; a new one is stored as retired, so that no list or run includes it.

    Raises:
        UsageError: the bot failed its trial.

    """
    if task.template.is_original(values):
        return original
    spec = task.template.spec_at(values)
    launch = task.launch_at(original.revision.launch, values)
    if launch.archive is None:
        bot = read_spec(task.source(spec))
    else:
        bot = ResolvedBot(
            content_hash=identity_of(launch),
            launch=launch,
            budgets=(),
            files=original.revision.files,
            packed=unpack_files(store, original),
            family=original.family,
        )
    content_hash = bot.content_hash
    base = original.name.partition("@")[0]
    name = _free_name(store, base, task.template.texts(values), content_hash)
    known = [
        row
        for row in known_bots(store).values()
        if row.revision.content_hash == content_hash
        and (row.name == name or row.change.startswith(TUNED))
    ]
    if known:  # perhaps under a new name; the winner is registered later
        return min(known, key=lambda row: row.id)
    note = f"{TUNED}{run_id} from {task.template.title}"
    return stored_bot(store, _examined(store, task, bot, spec, name, original.name, note))


def _free_name(store: Store, base: str, texts: Mapping[str, str], content_hash: str) -> str:
    """Return a name with values that no bot of other content has."""
    stem = name_with_values(base, texts) if texts else base
    known = known_bots(store)
    return free_name(
        stem, lambda name: name in known and known[name].revision.content_hash != content_hash
    )


def _examined(
    store: Store,
    task: TuningTask,
    bot: ResolvedBot,
    spec: str,
    name: str,
    based_on: str | None,
    note: str,
) -> NewBot:
    request = RegistrationRequest(
        name=name,
        source=task.source(spec),
        based_on=based_on,
        note=note,
        restart=task.settings.restart,
    )
    return examine(known_bots(store), request, task.settings.confinement, packed=bot).new


def stored_bot(store: Store, bot: NewBot) -> BotRow:
    """Return a bot from the store; a new one is stored as retired."""
    if isinstance(bot, BotRow):
        return bot
    save_bot(store, bot, replace=False)
    return store.bots.retire(bot.name)


def refuse_taken_name(store: Store, name: str) -> None:
    """Refuse a name for the tuned bot that cannot be registered.

    Raises:
        UsageError: the name is invalid or taken.

    """
    check_name(name, "the name to register")
    known = known_bots(store).get(name)
    if known is not None and not known.change.startswith(TUNED):
        raise _name_taken(name)


def register_winner(store: Store, tuned: BotRow, gated: GateOutcome, name: str) -> Registration:
    """Register the tuned bot under a name if it won the gate.

    Besides passing the gate it must have more than half of the points: a gate also passes a bot
    that is not better.

    Raises:
        UsageError: the name was taken meanwhile.

    """
    score = gated.result.deciding.record.score
    if gated.result.verdict is not Verdict.PASS:
        return Registration(name, False, f"the gate's verdict is {gated.result.verdict.value}")
    if score is None or score <= 0.5:
        return Registration(
            name, False, "the gate passed it, but it scored no more than the original"
        )
    known = known_bots(store).get(name)
    if known is not None:
        if known.revision.content_hash == tuned.revision.content_hash:
            return Registration(name, True, "it was registered before")
        raise _name_taken(name)
    save_bot(store, replace(tuned, name=name), replace=False)
    return Registration(name, True, "it won the gate")


def _name_taken(name: str) -> UsageError:
    return UsageError(
        f"a bot called {name} is already registered: choose another name", option="register"
    )
