"""Options' values from the words in which a person writes them."""

import re
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.errors import UsageError

if TYPE_CHECKING:
    from engine.board import BoardClass
    from ladder.experiments.gate.stages import Stage
    from ladder.runs.budgets import Budgets
    from ladder.stats.choices import Model
    from ladder.stats.sprt import Sprt

DEFAULT_TIME = "100ms"


def names_of(text: str) -> list[str]:
    """The words of `--bots`.

    Raises:
        UsageError: a word is empty.

    """
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise UsageError(f"--bots is a comma-separated list of names, got {text!r}")
    return words


def boards_of(text: str) -> "tuple[BoardClass, ...]":
    """The board classes of `--boards`.

    Raises:
        UsageError: the list breaks a rule of boards; the message names it and the option.

    """
    from engine.board import parse_board_classes
    from engine.errors import BoardError

    try:
        return parse_board_classes(text)
    except BoardError as error:
        raise UsageError(f"--boards: {error}") from error


def budgets_of(
    time: str | None, simulations: int | None, nodes: int | None, depth: int | None
) -> "Budgets":
    """The budgets of the options; 100 ms when none is given.

    Raises:
        UsageError: time together with a work budget, or a number out of range.

    """
    from ladder.runs.budgets import Budgets

    amounts = {
        name: amount
        for name, amount in (("simulations", simulations), ("nodes", nodes), ("depth", depth))
        if amount is not None
    }
    if time is not None or not amounts:
        amounts = {**_times_of(time or DEFAULT_TIME), **amounts}
    return Budgets(amounts)


def _times_of(text: str) -> dict[str, int]:
    """Amounts from ``100ms``, or with odds such as ``v17=200ms,100ms``. Raises UsageError."""
    from db.records.budget import budget_key
    from ladder.names import check_name

    general: int | None = None
    odds: dict[str, int] = {}
    for word in text.split(","):
        name, sign, time = word.strip().rpartition("=")
        if sign and check_name(name, "--time: the name before =") in odds:
            raise UsageError(f"--time names {name} twice: {text}")
        if sign:
            odds[name] = parse_time(time)
        elif general is not None:
            raise UsageError(
                "--time is one time for all, before or behind times of single bots, such as "
                f"v17=200ms,100ms, got {text!r}"
            )
        else:
            general = parse_time(time)
    shared = parse_time(DEFAULT_TIME) if general is None else general
    others = {
        budget_key("time_ms", name): odds[name] for name in sorted(odds) if odds[name] != shared
    }
    return {"time_ms": shared, **others}


NO_SANDBOX = "none"
"""The word that starts bots without the sandbox of `ladder.toml`."""


def sandbox_of(text: str | None) -> tuple[str, ...]:
    """The words of `--sandbox`, read as a shell would; none for ``none``.

    Raises:
        UsageError: a quote is not closed, there is no word, or its program is not there.

    """
    import shlex
    import shutil

    from ladder.errors import UsageError

    if text is None or text.strip() == NO_SANDBOX:
        return ()
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"--sandbox: {str(error).lower()} in {text!r}") from error
    if not words:
        raise UsageError("--sandbox is the beginning of a command such as 'bwrap ...', got nothing")
    program = shutil.which(words[0])
    if program is None:
        raise UsageError(
            f"--sandbox: no program {words[0]!r} is on PATH: install it, or name its file"
        )
    return (str(Path(program).absolute()), *words[1:])


# No time that is allowed has more digits, and a float that it becomes is finite.
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*(ms|s)?")
MAX_TIME_MS = 3_600_000
MOST_STAGE_GAMES = 1_000_000_000


def parse_time(text: str, use: str = "per move") -> int:
    """Milliseconds from ``100ms``, ``2s``, ``0.5s``; a bare number is milliseconds.

    Args:
        text: of `--time`.
        use: the words that say in a refusal for which work the time is.

    Raises:
        UsageError: the text has another form, is no whole number of milliseconds, or lies outside
            1 ms .. 1 hour.

    """
    match = _DURATION.fullmatch(text.strip().lower())
    if match is None:
        raise UsageError(f"--time is a time {use} such as 100ms or 2s, got {text!r}")
    milliseconds = float(match[1]) * (1000 if match[2] == "s" else 1)
    if milliseconds != int(milliseconds) or not 1 <= milliseconds <= MAX_TIME_MS:
        raise UsageError(
            f"--time is a whole number of milliseconds from 1ms to 3600s, got {text!r}"
        )
    return int(milliseconds)


def stages_of(text: str) -> "tuple[Stage, ...]":
    """The stages of `--stages`, such as ``20ms:500,100ms:2000``.

    Raises:
        UsageError: a word is no time and number of games, there is but one, or the times do not
            rise.

    """
    from ladder.experiments.gate.stages import Stage

    stages = []
    for word in text.split(","):
        time, colon, games = word.strip().rpartition(":")
        if not colon or not _WHOLE.fullmatch(games) or not 2 <= int(games[:12]) <= MOST_STAGE_GAMES:
            raise UsageError(
                "--stages is times and numbers of games, 2 or more, such as 20ms:500,100ms:2000, "
                f"got {text!r}"
            )
        stages.append(Stage(parse_time(time), int(games)))
    times = [stage.time_ms for stage in stages]
    if len(stages) < 2 or times != sorted(set(times)):
        raise UsageError(f"--stages are two or more, with rising times, got {text!r}")
    return tuple(stages)


def parse_margin(text: str) -> int:
    """Milliseconds from ``50ms`` or ``0``.

    Raises:
        UsageError: the text is no whole number of milliseconds from 0 to 1 hour.

    """
    match = _DURATION.fullmatch(text.strip().lower())
    milliseconds = -1.0 if match is None else float(match[1]) * (1000 if match[2] == "s" else 1)
    if milliseconds != int(milliseconds) or not 0 <= milliseconds <= MAX_TIME_MS:
        raise UsageError(f"--margin is a time such as 50ms, got {text!r}")
    return int(milliseconds)


LIMIT = 10**15
"""The greatest count: sums and squares of such numbers still fit a float."""
ELO_LIMIT = 2000.0
"""The greatest Elo of a hypothesis: beyond it an expected score is 0 or 1 to five digits."""
_WHOLE = re.compile(r"\d+", re.ASCII)

Counts = tuple[int, ...]


def parse_counts(wdl: str | None, penta: str | None) -> Counts:
    """Counts in the order of `ladder.stats.counts` from one of the two options.

    Args:
        wdl: ``W,D,L``: games won, drawn, lost.
        penta: ``LL,LD,DD,WD,WW``: pairs from the lowest score to the highest; the middle counts
            a win and a loss, too.

    Raises:
        UsageError: none or both are given, or one is not such a list, or it counts no game.

    """
    if (wdl is None) == (penta is None):
        raise UsageError("give either --wdl W,D,L or --penta LL,LD,DD,WD,WW")
    if wdl is not None:
        wins, draws, losses = _numbers("--wdl", "W,D,L", wdl)
        return losses, draws, wins
    return _numbers("--penta", "LL,LD,DD,WD,WW", penta or "")


def hypotheses(*, elo0: float, elo1: float, alpha: float, beta: float, model: "Model") -> "Sprt":
    """A test between two differences in Elo.

    Raises:
        UsageError: a number is out of range, or elo0 is not below elo1.

    """
    for option, elo in (("--elo0", elo0), ("--elo1", elo1)):
        if not abs(elo) <= ELO_LIMIT:
            raise UsageError(f"{option} must be -{ELO_LIMIT:g} .. {ELO_LIMIT:g} Elo, got {elo:g}")
    if not elo0 < elo1:
        raise UsageError(f"--elo0 must be below --elo1, got {elo0:g} and {elo1:g}")
    from ladder.stats.sprt import Sprt, check_chances

    check_chances(alpha, beta)
    return Sprt(elo0=elo0, elo1=elo1, alpha=alpha, beta=beta, model=model)


def _numbers(option: str, form: str, text: str) -> Counts:
    words = [word.strip() for word in text.split(",")]
    wanted = form.count(",") + 1
    if len(words) != wanted or not all(_WHOLE.fullmatch(word) for word in words):
        raise UsageError(f"{option} is {wanted} whole numbers {form}, none below 0, got {text!r}")
    # Python refuses to read numbers of thousands of digits; a long one is too great anyway.
    if any(len(word) > len(str(LIMIT)) or int(word) > LIMIT for word in words):
        raise UsageError(f"{option}: a count must be at most {LIMIT}, got {text!r}")
    numbers = tuple(int(word) for word in words)
    if not any(numbers):
        raise UsageError(f"{option} {text}: there is nothing to compute from no games")
    return numbers


_PLIES = re.compile(r"([0-9]{0,3})\.\.([0-9]{0,3})|([0-9]{1,3})")


def parse_plies(text: str) -> tuple[int | None, int | None]:
    """Return the least and the most plies of ``20..30``, ``20..``, ``..30`` or ``20``.

    Raises:
        UsageError: the text has another form.

    """
    match = _PLIES.fullmatch(text.strip())
    if match is None or not any(match.groups()):
        raise UsageError(f"--plies is a range such as 20..30, 20.. or ..30, got {text!r}")
    low, high = (match[3], match[3]) if match[3] else (match[1], match[2])
    return int(low) if low else None, int(high) if high else None


_AGO = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([mhd])")
_SECONDS = {"m": 60, "h": 3600, "d": 86400}


def parse_since(text: str, *, now: float | None = None) -> float:
    """Seconds since the epoch from an ISO date or time, or from ``30m``, ``12h``, ``2d`` ago.

    Times without a zone are local.

    Raises:
        UsageError: the text is neither.

    """
    match = _AGO.fullmatch(text.strip())
    if match is not None:
        return (time.time() if now is None else now) - float(match[1]) * _SECONDS[match[2]]
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except ValueError:
        raise UsageError(
            "--since is a date or time such as 2026-11-20 or 2026-11-20T18:00, or a time ago such "
            f"as 12h, got {text!r}"
        ) from None
