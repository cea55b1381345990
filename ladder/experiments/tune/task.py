"""The task of a tuning: what is searched, under which conditions, and the question of its gate."""

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from db.records.runs import RunKind, division_label
from engine.seeds import derive_seed
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.session import gate_pairing
from ladder.experiments.tune.template import Template
from ladder.match.specs.spec import ResolvedBot, read_spec
from ladder.runs.resumable import TUNING
from ladder.runs.settings import Settings

A, B = "a", "b"
"""Names of the two sides of a step."""
_GATE = 0x6A7E
"""Apart from the streams of the search in the same seed."""


def gate_note(run_id: int) -> str:
    """Return the note of the gate at the end of a tuning, by which it is found."""
    return f"the end of tuning run {run_id}"


class Method(StrEnum):
    """How the settings of a step are chosen."""

    SPSA = "spsa"
    """`ladder.experiments.tune.spsa`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningTask:
    """One tuning as the user asked for it."""

    template: Template
    settings: Settings
    """Conditions of the steps and of the gate; its games are those of the steps."""
    pairs: int
    """Of each step."""
    test: GateTest
    folder: Path
    """Where the specification was written, and where a bot from outside runs."""
    python: str | None = None
    """The interpreter for ``python:`` and ``kaggle:``; None: python3 on PATH."""
    patterns: tuple[str, ...] = ()
    """Files that count as the bot, as `ladder.match.specs.spec.read_spec` takes them."""
    method: Method = Method.SPSA

    @property
    def steps(self) -> int:
        """The games in whole steps."""
        return math.ceil((self.settings.target_games or 0) / (2 * self.pairs))

    @property
    def games(self) -> int:
        """The games of all steps."""
        return 2 * self.pairs * self.steps

    def resolve(self, spec: str) -> ResolvedBot:
        """A specification with values in it, as it stands on this machine now.

        Raises:
            SpecError: it cannot be read, or something that it is made of is gone.

        """
        return read_spec(spec, self.folder, python=self.python, patterns=self.patterns)

    @property
    def conditions(self) -> str:
        """The label of the division."""
        return division_label(*self.settings.division())

    @property
    def side_settings(self) -> Settings:
        """The settings under which the two sides of each step meet."""
        return replace(self.settings, bots=(A, B), pairing=gate_pairing(A, B))

    def run_settings(self, content_hash: str) -> Settings:
        """Return the settings of the run of the search.

        The games are a part of its identity: the steps are made for their number. The gate's
        question is not.

        Args:
            content_hash: of the original bot.

        """
        search = {
            "spec": self.template.spec,
            "original": content_hash,
            "parameters": [str(each) for each in self.template.parameters],
            "games": self.games,
            "pairs": self.pairs,
            "method": self.method.value,
            **({} if self.python is None else {"python": self.python}),
            **({"files": list(self.patterns)} if self.patterns else {}),
        }
        return replace(self.settings, games=self.games, experiment={TUNING: search})

    def gate_settings(self, names: tuple[str, str], seed: int, run_id: int) -> Settings:
        """The settings of the gate at the end: the conditions of the steps on fresh seeds.

        Args:
            names: of the tuned bot and the original.
            seed: of the tuning.
            run_id: of the tuning.

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
