"""Admission of a machine: check its version, send it the bots, prepare and measure it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from db.records.pairs import Entrant
from ladder.harness_version import harness_version
from ladder.runs.cluster.bot_bundle import BotBundle
from ladder.runs.cluster.coordinator.assignments import Machine
from ladder.runs.cluster.machine import TASKS, MachineTasks

Ask = Callable[..., Awaitable[Any]]
"""Calls a function with arguments on the machine."""


class Unfit(Exception):
    """A machine cannot take part; the message says why."""


async def admit(
    machine: Machine,
    ask: Ask,
    bot_bundle: BotBundle,
    sides: tuple[Entrant, ...],
    *,
    rename: Callable[[Machine], None],
    banned: Mapping[str, str],
    tasks: MachineTasks = TASKS,
) -> None:
    """Check a machine, send it the archives that it lacks, and prepare it for the run.

    Args:
        machine: The machine; its `facts` and `prepared` are set.
        ask: Calls functions there.
        bot_bundle: The bots of the run.
        sides: The same bots as sides of pairs.
        rename: Changes the machine's name if another machine has it.
        banned: The reasons why machines were set aside for good, by name.
        tasks: The functions to call there.

    Raises:
        Unfit: the machine cannot take part.

    """
    machine.facts = await ask(tasks.describe_machine)
    rename(machine)
    if machine.name in banned:
        raise Unfit(f"it was set aside before: {banned[machine.name]}")
    own = harness_version()
    if machine.facts.harness != own["sources"]:
        hashes = f"{machine.facts.harness} there, {own['sources']} here"
        if machine.facts.ladder == own["ladder"]:
            raise Unfit(
                f"its sources of ladder {own['ladder']} differ ({hashes}): install both from one "
                "commit, without local changes"
            )
        raise Unfit(
            f"it has ladder {machine.facts.ladder}, and this is {own['ladder']} ({hashes}): "
            "install the same version on both"
        )
    archives = bot_bundle.archives
    if archives:  # each question may wait for a pair in play
        for name in await ask(tasks.missing_archives, tuple(archives)):
            await ask(tasks.store_archive, name, archives[name])
    machine.prepared = await ask(tasks.prepare, bot_bundle.manifest, sides)
    machine.facts = msgspec.structs.replace(machine.facts, speed=round(machine.prepared.speed, 1))
    machine.refused = frozenset(machine.prepared.refused)
    if len(machine.refused) == len(sides):
        machine.hosts_any = False
