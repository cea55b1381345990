"""Reading the values of options."""

import re
import shlex
import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

from db.records.budget import CLOCK, INCREMENT, OVERAGE, TIME, budget_key
from engine.board import Board, parse_board
from engine.board_class import BoardClass, parse_board_classes
from engine.errors import BoardError
from ladder.errors import UsageError
from ladder.match.process.sandbox import PROGRAM, STANDARD
from ladder.names import check_name
from ladder.registry.specs.targets import split_list
from ladder.runs.budgets import Budgets

DEFAULT_TIME = "100ms"


def parse_names(text: str) -> list[str]:
    """Return the names of a comma-separated list.

    Raises:
        UsageError: a word is empty.

    """
    words = split_list(text)
    if not all(words):
        raise UsageError(f"--bots: {text!r} is not a comma-separated list of names")
    return words


def parse_boards(text: str) -> tuple[BoardClass, ...]:
    """Return the board classes of a comma-separated list.

    Raises:
        UsageError: the list breaks a rule of boards.

    """
    try:
        return parse_board_classes(text)
    except BoardError as error:
        raise UsageError(f"--boards: {error}") from error


def parse_one_board(text: str) -> Board:
    """Return the board of the option or argument `board`. Raises UsageError."""
    try:
        return parse_board(text)
    except BoardError as error:
        raise UsageError(str(error), "board") from error


def parse_budgets(
    time: str | None,
    simulations: int | None,
    nodes: int | None,
    depth: int | None,
    *,
    overage: str | None = None,
    clock: str | None = None,
) -> Budgets:
    """Return the budgets of the options, 100 ms if none is given.

    Raises:
        UsageError: options that contradict each other, or a number out of range.

    """
    amounts = {
        name: amount
        for name, amount in (("simulations", simulations), ("nodes", nodes), ("depth", depth))
        if amount is not None
    }
    if clock is not None:
        amounts |= _clocks_of(clock)
    if time is not None or not amounts:
        times = _odds_of(time or DEFAULT_TIME, "--time", parse_time)
        amounts = {**_fields_of(TIME, {None: parse_time(DEFAULT_TIME), **times}), **amounts}
    if overage is not None:
        reserves = _odds_of(overage, "--overage", parse_overage)
        if time is None and clock is None:
            raise UsageError(
                "--overage is for moves that take longer than their --time: give --time, too"
            )
        amounts |= _fields_of(OVERAGE, _for_all(reserves, "--overage"))
    return Budgets(amounts)


T = TypeVar("T")
Odds = dict[str | None, T]
"""The values of single bots by name, and of all others by None."""


def _odds_of(text: str, option: str, parse: Callable[[str], T]) -> Odds[T]:
    """Return the values of ``100ms`` or, with odds, of ``v17=200ms,100ms``. Raises UsageError."""
    values: Odds[T] = {}
    for word in text.split(","):
        name, sign, value = word.strip().rpartition("=")
        bot = check_name(name, f"{option}: the name before =") if sign else None
        if bot is not None and bot in values:
            raise UsageError(f"{option}: {text!r} names {bot} twice: give each bot one time")
        if bot is None and None in values:
            raise UsageError(
                f"{option}: {text!r} has two times without a name: give one time for all bots, and "
                "times of single bots as in v17=200ms,100ms"
            )
        values[bot] = parse(value)
    return values


def _for_all(odds: Odds[T], option: str) -> Odds[T]:
    """Return odds that have a value for all bots. Raises UsageError."""
    if None not in odds:
        raise UsageError(f"{option} names single bots only: add the time of all others")
    return odds


def _fields_of(field: str, odds: Odds[int]) -> dict[str, int]:
    """Return the amounts of a field, without odds that equal the amount of all others."""
    shared = odds[None]
    named = sorted(bot for bot in odds if bot is not None and odds[bot] != shared)
    return {field: shared, **{budget_key(field, bot): odds[bot] for bot in named}}


def _clocks_of(text: str) -> dict[str, int]:
    """Return the amounts of ``10s+100ms`` or of ``v17=20s,10s+100ms``. Raises UsageError."""
    odds = _for_all(_odds_of(text, "--clock", parse_clock), "--clock")
    amounts = {}
    for bot in (None, *sorted(bot for bot in odds if bot is not None)):
        base_ms, increment_ms = odds[bot]
        if bot is None or odds[bot] != odds[None]:
            amounts[budget_key(CLOCK, bot)] = base_ms
            if increment_ms:
                amounts[budget_key(INCREMENT, bot)] = increment_ms
    return amounts


NO_SANDBOX = "none"
"""The value that starts bots without the sandbox of `ladder.toml`."""


def parse_sandbox(text: str | None) -> tuple[str, ...]:
    """Return the words of a sandbox, read as a shell does; empty for ``none``.

    ``standard`` stays one word, from which `ladder.match.process.sandbox` makes each bot's sandbox.

    Raises:
        UsageError: a quote is not closed, there is no word, or its program is missing.

    """
    if text is None or text.strip() == NO_SANDBOX:
        return ()
    if text.strip() == STANDARD:
        if shutil.which(PROGRAM) is None:
            raise UsageError(
                "--sandbox: 'standard' needs bubblewrap (bwrap), which is not on PATH: install it "
                "(apt-get install bubblewrap), or give a command"
            )
        return (STANDARD,)
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(
            f"--sandbox: {str(error).lower()} in {text!r}: close the quotes"
        ) from error
    if not words:
        raise UsageError(
            "--sandbox: the command is empty: give 'standard', one such as 'bwrap ...', or 'none'"
        )
    program = shutil.which(words[0])
    if program is None:
        raise UsageError(
            f"--sandbox: there is no program {words[0]!r} on PATH: install it, or name its file"
        )
    return (str(Path(program).absolute()), *words[1:])


# Nine digits are enough for every valid time.
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(ms|s)?")
MAX_TIME_MS = 3_600_000


def parse_time(text: str, use: str = "per move", *, option: str = "--time") -> int:
    """Return the milliseconds of ``100ms``, ``2s`` or ``0.5s``; a bare number is milliseconds.

    Args:
        text: the value of the option.
        use: what the time is for, in an error message.
        option: the option.

    Raises:
        UsageError: the text has another form, is not a whole number of milliseconds, or is outside
            1 ms .. 1 hour.

    """
    milliseconds = _milliseconds(text)
    if milliseconds is None:
        raise UsageError(f"{option}: {text!r} is not a time {use} such as 100ms or 2s")
    if milliseconds != int(milliseconds) or not 1 <= milliseconds <= MAX_TIME_MS:
        raise UsageError(
            f"{option}: {text!r} is not a whole number of milliseconds from 1ms to 3600s"
        )
    return int(milliseconds)


def _milliseconds(text: str) -> Decimal | None:
    """Return the exact milliseconds of a duration; None if it has another form."""
    match = _DURATION.fullmatch(text.strip().lower())
    # Not a float: 1.001 * 1000 is less than 1001.
    return None if match is None else Decimal(match[1]) * (1000 if match[2] == "s" else 1)


def parse_overage(text: str) -> int:
    """Return the milliseconds of an overage such as ``60s``. Raises UsageError."""
    return parse_time(text, "of a game", option="--overage")


def parse_clock(text: str) -> tuple[int, int]:
    """Return base and increment of a clock such as ``10s+100ms`` or ``10s``, in milliseconds.

    Raises:
        UsageError: the text has another form, or a number is out of range.

    """
    base, plus, increment = text.partition("+")
    if plus and increment.strip() in ("0", "0s", "0ms"):
        plus = ""
    return (
        parse_time(base, "of a game", option="--clock"),
        parse_time(increment, "per move", option="--clock") if plus else 0,
    )


def parse_margin(text: str) -> int:
    """Return the milliseconds of ``50ms`` or ``0``.

    Raises:
        UsageError: the text is not a whole number of milliseconds from 0 to 1 hour.

    """
    milliseconds = _milliseconds(text)
    if (
        milliseconds is None
        or milliseconds != int(milliseconds)
        or not 0 <= milliseconds <= MAX_TIME_MS
    ):
        raise UsageError(f"--margin: {text!r} is not a time such as 50ms")
    return int(milliseconds)


_PLIES = re.compile(r"([0-9]{0,3})\.\.([0-9]{0,3})|([0-9]{1,3})")


def parse_plies(text: str) -> tuple[int | None, int | None]:
    """Return the least and the most plies of ``20..30``, ``20..``, ``..30`` or ``20``.

    Raises:
        UsageError: the text has another form.

    """
    match = _PLIES.fullmatch(text.strip())
    if match is None or not any(match.groups()):
        raise UsageError(f"--plies: {text!r} is not a range such as 20..30, 20.. or ..30")
    low, high = (match[3], match[3]) if match[3] else (match[1], match[2])
    return int(low) if low else None, int(high) if high else None
