"""A machine that joins: does it fit, and has it all that a run's pairs need?"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from db.records.pairs import Entrant
from ladder.harness_version import harness_version
from ladder.runs.cluster import machine as tasks
from ladder.runs.cluster.bot_bundle import BotBundle
from ladder.runs.cluster.coordinator.machines import Machine

Ask = Callable[..., Awaitable[Any]]
"""Calls a function with words on a machine."""


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
) -> None:
    """Get to know a machine, send it what it lacks, and have it prepared and measured.

    Args:
        machine: gets `facts` and `prepared`.
        ask: calls functions there.
        bot_bundle: the run's bots.
        sides: the same bots as sides of pairs.
        rename: gives it another name if another machine has the one that it says.
        banned: why machines of some names are not wanted back.

    Raises:
        Unfit: the machine cannot take part.

    """
    machine.facts = await ask(tasks.greet)
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
    for name in await ask(tasks.missing_archives, tuple(archives)):
        await ask(tasks.store_archive, name, archives[name])
    machine.prepared = await ask(tasks.prepare, bot_bundle.manifest, sides)
    machine.facts = msgspec.structs.replace(machine.facts, speed=round(machine.prepared.speed, 1))
    machine.refused = frozenset(machine.prepared.refused)
    if len(machine.refused) == len(sides):
        machine.slots = 0
