"""The budgets of a run: an amount of each kind, and other amounts for single bots."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from bots.budget import BUDGETS, KIND_OF_FIELD, Budget
from bots.game_clock import GameClock, moves_left
from db.records.bots import BotRow, NewBot
from db.records.budget import (
    CLOCK,
    OVERAGE,
    TIME,
    amount_for,
    bots_with_odds,
    budget_of,
    clock_of,
    format_clock,
    format_ms,
    is_valid_budget,
    main_fields,
)
from engine.board_class import BoardClass
from ladder.errors import UnfitBot, UsageError

NAMED = 3
"""Most bots that a line names; of more it gives the number."""


@dataclass(frozen=True, slots=True)
class Budgets:
    """The budgets of a run: time, a clock, or work budgets in order of preference."""

    amounts: Mapping[str, int]
    """``{"time_ms": 100}``, ``{"clock_ms": 10000, "increment_ms": 100}`` or some of
    ``simulations``, ``nodes``, ``depth``; see `db.records.budget`."""

    def __post_init__(self) -> None:
        if not self.fields:
            raise UsageError("give a budget: time, a clock, or simulations, nodes or depth")
        if CLOCK in self.amounts and (len(self.fields) > 1 or OVERAGE in self.amounts):
            raise UsageError(
                "a clock is the time of a whole game and cannot be combined with a time per move, "
                "an overage or work: leave one out",
                option="clock",
            )
        if OVERAGE in self.amounts and TIME not in self.amounts:
            raise UsageError(
                "an overage is for moves that take longer than their time: give that time, too",
                option="overage",
            )
        if self.is_timed and len(self.fields) > 1:
            raise UsageError(
                "a time cannot be combined with simulations, nodes or a depth: leave one out",
                option="time",
            )
        if not is_valid_budget(self.amounts):
            raise UsageError(f"{dict(self.amounts)} is not a budget: give amounts for all bots")

    @property
    def fields(self) -> tuple[str, ...]:
        """The kinds of budget as fields of `Budget`, in order of preference."""
        return main_fields(self.amounts)

    @property
    def is_timed(self) -> bool:
        """Whether moves are limited by the clock instead of by work."""
        return TIME in self.amounts or CLOCK in self.amounts

    @property
    def bots_with_odds(self) -> tuple[str, ...]:
        """The bots that have amounts of their own."""
        return bots_with_odds(self.amounts)

    def longest_us(self, moves: int) -> int | None:
        """Return the longest time of any bot for some moves; None under work budgets."""
        clocks = (self._clock(bot) for bot in (None, *self.bots_with_odds))
        return max((clock.longest_us(moves) for clock in clocks if clock is not None), default=None)

    def share_ms(self, name: str, boards: Iterable[BoardClass]) -> int | None:
        """Return the time per move of a bot that knows no clock; None under work budgets."""
        clock = self._clock(name)
        most = max(moves_left(each.largest.cells, 0) for each in boards)
        return None if clock is None else clock.share_ms(most)

    def refuse_unknown_bots(self, names: list[str]) -> None:
        """Refuse amounts for bots that do not play.

        Raises:
            UsageError: an amount names another bot.

        """
        for bot in self.bots_with_odds:
            if bot not in names:
                raise UsageError(
                    f"{bot} does not play in this run: name one of {', '.join(names)}",
                    option="clock" if CLOCK in self.amounts else "time",
                )

    def of_row(self, bot: BotRow | NewBot) -> Budget:
        """Return the budget of a bot. Raises UnfitBot."""
        return self.for_bot(bot.name, bot.revision.budgets)

    def for_bot(self, name: str, kinds: tuple[str, ...]) -> Budget:
        """Return the budget of a bot: the first kind that it supports.

        A bot that supports time can play under a clock, too.

        Args:
            name: The bot.
            kinds: The kinds of budget that it supports, such as ``time``, or ``any``.

        Raises:
            UnfitBot: the bot supports none of the kinds.

        """
        for field in self.fields:
            fitting = {"time", "clock"} if field == CLOCK else {KIND_OF_FIELD[field]}
            if "any" in kinds or fitting.intersection(kinds):
                return budget_of(self.amounts, field, name)
        given = ", ".join(KIND_OF_FIELD.get(field, "a clock") for field in self.fields)
        raise UnfitBot(
            f"{name} plays on {' or '.join(kinds)}, not on {given}",
            "give a budget that it supports",
        )

    def words_for(self, bots: Mapping[str, tuple[str, ...]]) -> str:
        """Return the budgets in words, with the bots that use each of several kinds of work.

        Args:
            bots: The kinds of budget that each bot supports, by name.

        """
        if len(self.fields) == 1:
            return str(self)
        users: dict[str, list[str]] = {}
        for name, kinds in bots.items():
            with suppress(UnfitBot):
                users.setdefault(_phrase(self.for_bot(name, kinds)), []).append(name)
        words = [
            f"{phrase} ({', '.join(names) if len(names) <= NAMED else f'{len(names)} bots'})"
            for phrase, names in users.items()
        ]
        return f"{', '.join(words)} a move" if len(words) > 1 else str(self)

    def _clock(self, bot: str | None) -> GameClock | None:
        return clock_of(self.amounts, bot)

    def __str__(self) -> str:
        bots = (None, *self.bots_with_odds)
        words = []
        for field in self.fields:
            budgets = [(bot, budget_of(self.amounts, field, bot)) for bot in bots]
            words.append(_with_odds((bot, _phrase(budget)) for bot, budget in budgets))
        text = "clock " + words[0] if CLOCK in self.amounts else " ".join(words) + " a move"
        if OVERAGE in self.amounts:
            amounts = ((bot, amount_for(self.amounts, OVERAGE, bot) or 0) for bot in bots)
            text += f", overage {_with_odds((bot, format_ms(each)) for bot, each in amounts)}"
        return text


def _with_odds(phrases: Iterable[tuple[str | None, str]]) -> str:
    """Return the phrase of all bots (None) and in brackets those of single bots."""
    return " ".join(text if bot is None else f"({bot} {text})" for bot, text in phrases)


def _phrase(budget: Budget) -> str:
    """Return the clock of a bot or its budget of a move in words."""
    if budget.clock is not None:
        return format_clock(budget.clock)
    return BUDGETS[budget.kind].phrase.format(budget.amount)
