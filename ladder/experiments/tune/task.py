"""The task of a tuning: the parameters, the conditions, and the question of its gate."""

import math
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from db.records.launch import Launch
from db.records.runs import RunKind, division_label
from engine.seeds import derive_seed
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.session import gate_pairing
from ladder.experiments.tune.parameters import ParameterValues
from ladder.experiments.tune.template import Template
from ladder.match.specs.source import PackedBot, pack_spec
from ladder.match.specs.spec import read_spec
from ladder.runs.resumable import TUNING
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
    """Patterns of the files that belong to the bot, for `ladder.match.specs.source.pack_spec`."""

    @property
    def steps(self) -> int:
        """The number of steps, rounded up."""
        return math.ceil((self.settings.target_games or 0) / (2 * self.pairs))

    @property
    def games(self) -> int:
        """The games of all steps together."""
        return 2 * self.pairs * self.steps

    def pack(self) -> PackedBot:
        """Pack the files of the bot before the tuning.

        Raises:
            SpecError: it cannot be read, or a file or program is missing.
            UsageError: its files cannot be packed.

        """
        return pack_spec(
            self.template.original, self.folder, python=self.python, patterns=self.patterns
        )

    def launch_at(self, original: Launch, values: ParameterValues) -> Launch:
        """Return the launch of the bot with values, from the files that were packed once.

        Raises:
            SpecError: a built-in player refuses the values.

        """
        if original.is_own:
            return read_spec(self.template.spec_at(values), self.folder).launch
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
        search = {
            "spec": self.template.spec,
            "original": content_hash,
            "parameters": [str(each) for each in self.template.parameters],
            "games": self.games,
            "pairs": self.pairs,
            **({} if self.python is None else {"python": self.python}),
            **({"files": list(self.patterns)} if self.patterns else {}),
        }
        return replace(self.settings, games=self.games, experiment={TUNING: search})

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
