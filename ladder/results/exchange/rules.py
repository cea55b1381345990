"""The rules for lines of a file, before their games are stored.

The bounds of single fields belong to their types (`db.records.exchange`), and what is true of every
stored game to `db.derived.invariants`, which an import checks as it stores. Here stands the rest:
names and texts, and what the lines of one pair and of one run share.
"""

from collections.abc import Mapping
from typing import Any, get_args

import msgspec

from bots.budget import BudgetKind
from db.records.budget import is_valid_budget
from db.records.exchange import BotLine, GameLine, OpeningsLine, Positive
from db.records.games import find_thought_fault
from engine.board import parse_board_class, parse_board_classes
from engine.opening_set import parse_opening_set
from ladder.match.specs.board_support import ANY, FORBIDDEN, FORBIDDEN_ONLY
from ladder.names import check_line, check_name, check_text

SAME_OF_RUN = ("kind", "rated", "run_seed", "identity", "division")
"""Fields that are equal in all games of a run."""


class _Select(msgspec.Struct):
    against: str | None = None


class _Bisect(msgspec.Struct):
    key: str = ""
    seed: int = 0
    spec: str = ""
    commit: str = ""
    good: str = ""
    bad: str = ""


class _Tuning(msgspec.Struct):
    spec: str = ""
    parameters: tuple[str, ...] = ()
    games: int = 0
    pairs: int = 0


class _Settings(msgspec.Struct):
    """The settings of a run as commands read them from a database; a run may lack any of them."""

    kind: str = ""
    rated: bool = False
    bots: dict[str, str] = {}
    pairing: str = ""
    boards: str | None = None
    opening_plies: int | None = None
    budget: dict[str, Positive] | None = None
    openings: str | None = None
    openings_file: str | None = None
    seed_derivation: str = ""
    limits: dict[str, int | None] = {}
    sandbox: tuple[str, ...] = ()
    margin_ms: int = 0
    watchdog_s: float = 0.0
    scale_time: bool = False
    harness: dict[str, str] = {}
    question: dict[str, Any] = {}
    tuning: _Tuning | None = None
    select: _Select | None = None
    bisect: _Bisect | None = None


def check_game(game: GameLine) -> None:
    """Check what a game's line says beyond the game itself: names, texts, bots and settings.

    Raises:
        ValueError: it breaks a rule; the message says which.
        EngineError: it breaks one of the board's.
        UsageError: a name or a text in it is not allowed.

    """
    check_name(game.first)
    check_name(game.second)
    if game.introduces is not None:
        for bot in game.introduces.bots:
            check_bot(bot)
        if game.introduces.openings is not None:
            check_openings(game.introduces.openings, game.division.openings)
        if game.introduces.settings is not None:
            check_settings(game.introduces.settings)
    for thought in game.timing.all_thoughts():  # before they are packed: times must fit
        fault = find_thought_fault(thought)
        _require(fault is None, str(fault))


def check_bot(bot: BotLine) -> None:
    """Hold the description of a bot against the rule for names and texts.

    Raises:
        UsageError: a name or a text in it is none.

    """
    check_name(bot.name)
    check_name(bot.family, "a bot's family")
    if bot.based_on is not None:
        check_name(bot.based_on, "the bot that another is based on")
    bot.change = check_line(bot.change, "what a bot changes")
    check_text(bot.spec, "a bot's specification")
    for budget in bot.budgets:
        _require(budget in get_args(BudgetKind), f"a bot's budget is unknown: {budget!r}")
    for board in bot.boards or ():
        if board not in (ANY, FORBIDDEN, FORBIDDEN_ONLY):
            parse_board_class(board)
    for file, digest in bot.files.items():
        check_text(file, "a file of a bot")
        check_text(digest, "the hash of a file")


def check_openings(told: OpeningsLine, wanted: str | None) -> None:
    """Refuse a set of openings other than the one that a division names.

    Raises:
        ValueError: its text is none, or another one.
        UsageError: its name is none.

    """
    check_line(told.name, "the name of a set of openings")
    known = parse_opening_set(told.text)
    _require(known.text == told.text, "write the openings sorted, one a line")
    _require(known.content_hash == wanted, "the openings are not those of the division")


def check_settings(settings: Mapping[str, Any]) -> None:
    """Refuse settings of a run that commands which list runs could not read.

    Raises:
        ValueError: a value is not of its kind.
        EngineError: the boards are not valid.

    """
    known = msgspec.convert(settings, _Settings)
    if known.boards is not None:
        parse_board_classes(known.boards)
    if known.budget is not None:
        _require(
            is_valid_budget(known.budget), f"the settings have no valid budget: {known.budget}"
        )


def check_run(first: GameLine, line: GameLine) -> None:
    """Refuse a game that says something else of its run than the run's first game in the file.

    Raises:
        ValueError: it does; the message names the field.

    """
    for name in SAME_OF_RUN:
        _require(
            getattr(first, name) == getattr(line, name), f"all games of a run have the same {name}"
        )


def check_pair(one: GameLine, two: GameLine) -> None:
    """Refuse two games that are no pair.

    Raises:
        ValueError: they are not; the message says why.

    """
    swapped = (two.second, two.second_hash, two.first, two.first_hash)
    _require(
        (one.first, one.first_hash, one.second, one.second_hash) == swapped,
        "the second game of a pair has the colours swapped",
    )


def _require(fact: bool, otherwise: str) -> None:
    if not fact:
        raise ValueError(otherwise)
