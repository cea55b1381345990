"""Results of a suite that were stored, and whether a bot solves fewer now by more than chance."""

from dataclasses import dataclass
from math import comb
from pathlib import Path

import msgspec

from ladder.errors import UsageError
from ladder.experiments.suite.run import Answers, SuiteResult
from ladder.visible import visible

CHANCE = 0.05
"""How often a bot that is as good as the stored one may be called worse."""


class StoredAnswers(msgspec.Struct, frozen=True):
    """One bot's answers under one budget, as `suite run --json` writes them."""

    bot: str
    budget: dict[str, int]
    wrong: tuple[int, ...]
    """Numbers of the positions that it did not solve, from 1."""


class Baseline(msgspec.Struct, frozen=True):
    """The document of a former `suite run --json`; other keys do not matter."""

    hash: str
    """Of the suite."""
    results: tuple[StoredAnswers, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A bot against the stored answers under the same budget."""

    answers: Answers
    stored: StoredAnswers
    lost: int
    """Positions that the stored bot solved and this one does not."""
    gained: int
    """The other way round."""

    @property
    def chance(self) -> float:
        """How often two equal bots would differ so much this way (sign test on these positions)."""
        count = self.lost + self.gained
        ways = sum(comb(count, worse) for worse in range(self.lost, count + 1))
        return float(ways / 2**count)

    @property
    def is_regression(self) -> bool:
        """Whether the bot solves fewer, by more than chance."""
        return self.lost > self.gained and self.chance < CHANCE


def read_baseline(file: Path) -> Baseline:
    """Stored results.

    Raises:
        UsageError: the file cannot be read or is no such document.

    """
    try:
        return msgspec.json.decode(file.read_bytes(), type=Baseline)
    except OSError as error:
        raise UsageError(f"--baseline: {visible(str(file))}: {error.strerror}") from error
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise UsageError(
            f"--baseline: {visible(str(file))} is no document of `ladder suite run --json`: {error}"
        ) from error


def compare(result: SuiteResult, baseline: Baseline) -> list[Step]:
    """Every bot and budget against the stored one of the same name, or the only stored one.

    Raises:
        UsageError: the baseline is of another suite, or has no answers to compare with.

    """
    if baseline.hash != result.suite.content_hash:
        raise UsageError("--baseline: it is of another suite: make a new one with --save")
    names = {stored.bot for stored in baseline.results}
    steps = []
    for answers in result.answers:
        wanted = answers.bot if answers.bot in names or len(names) != 1 else next(iter(names))
        budget = {
            field: amount
            for field, amount in msgspec.structs.asdict(answers.budget).items()
            if amount is not None
        }
        for stored in baseline.results:
            if (stored.bot, stored.budget) == (wanted, budget):
                wrong = set(stored.wrong)
                pairs = [(right, n not in wrong) for n, right in enumerate(answers.right, start=1)]
                lost, gained = pairs.count((False, True)), pairs.count((True, False))
                steps.append(Step(answers, stored, lost, gained))
                break
        else:
            raise UsageError(
                f"--baseline: it has no answers of {wanted} under {budget}: run the suite with "
                "its budgets, or make a new one with --save"
            )
    return steps
