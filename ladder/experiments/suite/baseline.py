"""Stored results of a suite, and the test whether a bot solves significantly fewer positions."""

from codecs import BOM_UTF8
from dataclasses import dataclass
from math import comb
from pathlib import Path

import msgspec

from ladder.errors import UsageError
from ladder.experiments.suite.run import Answers, SuiteResult
from ladder.visible import visible

CHANCE = 0.05
"""Chance to call a bot worse that is as good as the stored one."""


class StoredAnswers(msgspec.Struct, frozen=True):
    """One bot's answers under one budget, as `suite run --json` writes them."""

    bot: str
    budget: dict[str, int]
    wrong: tuple[int, ...]
    """Numbers of the positions that the bot did not solve, from 1."""


class Baseline(msgspec.Struct, frozen=True):
    """The JSON document of `suite run`, as far as it is needed."""

    hash: str
    """The content hash of the suite."""
    results: tuple[StoredAnswers, ...]


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """A bot against the stored answers under the same budget."""

    answers: Answers
    stored: StoredAnswers
    lost: int
    """Positions that the stored bot solved and this one does not."""
    gained: int
    """Positions that this bot solves and the stored one did not."""

    @property
    def chance(self) -> float:
        """Chance that equal bots lose at least as many positions (sign test)."""
        count = self.lost + self.gained
        ways = sum(comb(count, worse) for worse in range(self.lost, count + 1))
        return float(ways / 2**count)

    @property
    def is_regression(self) -> bool:
        """Whether the bot solves significantly fewer positions."""
        return self.lost > self.gained and self.chance < CHANCE


def read_baseline(file: Path) -> Baseline:
    """Read stored results.

    Raises:
        UsageError: the file cannot be read or is not a document of `suite run`.

    """
    try:
        return msgspec.json.decode(file.read_bytes().removeprefix(BOM_UTF8), type=Baseline)
    except OSError as error:
        raise UsageError(
            f"{visible(str(file))} cannot be read: {error.strerror}", option="baseline"
        ) from error
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise UsageError(
            f"{visible(str(file))} is not a document of `ladder suite run --json`: {error}",
            option="baseline",
        ) from error


def compare(result: SuiteResult, baseline: Baseline) -> list[BaselineComparison]:
    """Compare each bot and budget with the stored bot of the same name, or with the only one.

    Raises:
        UsageError: the baseline is of another suite, or lacks answers.

    """
    if baseline.hash != result.suite.content_hash:
        raise UsageError("it is of another suite: save a new one", option="baseline")
    names = {stored.bot for stored in baseline.results}
    comparisons = []
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
                comparisons.append(BaselineComparison(answers, stored, lost, gained))
                break
        else:
            raise UsageError(
                f"it has no answers of {wanted} under {budget}: run the suite with its budgets, or "
                "save a new one",
                option="baseline",
            )
    return comparisons
