"""The names of bots in a run's settings, and the settings under the bots' current names."""

from collections.abc import Mapping
from typing import Any

from db.records.budget import key_of, parts_of

BEST = "best: "
"""The beginning of the verdict of a choice that was made; the bot's name follows."""
SELECT = "select"
"""The key of a choice among the settings of its run."""


def bots_in(settings: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the content hash of each bot by name; empty where an imported run has none."""
    bots = settings.get("bots")
    return bots if isinstance(bots, Mapping) else {}


def rename_in_settings(settings: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return settings in which bots have other names.

    Args:
        settings: of a run; an imported one may lack any of them.
        names: the new names by the old ones.

    """
    changed = dict(settings)
    if bots := bots_in(settings):
        changed["bots"] = {names.get(name, name): content for name, content in bots.items()}
    if isinstance(pairing := settings.get("pairing"), str):
        kind, *sides = pairing.split(":")
        changed["pairing"] = ":".join([kind, *(_listed(side, names) for side in sides)])
    if isinstance(budget := settings.get("budget"), Mapping):
        changed["budget"] = rename_in_budget(budget, names)
    choice = settings.get(SELECT)
    if isinstance(choice, Mapping) and choice.get("against") in names:
        changed[SELECT] = {**choice, "against": names[choice["against"]]}
    return changed


def rename_in_budget(budget: Mapping[str, int], names: Mapping[str, str]) -> dict[str, int]:
    """Return a budget in which amounts of single bots are those of other names."""
    parts = ((parts_of(key), amount) for key, amount in budget.items())
    return {
        key_of(field, None if bot is None else names.get(bot, bot)): amount
        for (field, bot), amount in parts
    }


def rename_in_verdict(verdict: str | None, names: Mapping[str, str]) -> str | None:
    """Return a verdict in which the chosen bot has another name."""
    if verdict is None or not verdict.startswith(BEST):
        return verdict
    name = verdict.removeprefix(BEST)
    return BEST + names.get(name, name)


def _listed(names: str, new: Mapping[str, str]) -> str:
    return ",".join(new.get(name, name) for name in names.split(","))
