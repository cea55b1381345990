"""Importing the games of a file: all of them or none.

Types in `db.records.exchange` hold the bounds of single fields, and `db.invariants` the
rules for every stored game. The rules here are about names, texts and settings, and about the
lines of one pair.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from db.records.archives import UnpackedArchive
from db.records.exchange import BotLine, GameLine, Imported, NotImportable, OpeningsLine
from db.records.games import find_thought_fault
from db.records.results import texts_in
from db.records.run_settings import settings_of
from db.records.runs import RunKind
from db.store import Store
from engine.board_class import parse_board_class
from engine.errors import EngineError
from engine.opening_set import parse_opening_set
from engine.position import parse_moves
from engine.result import Termination
from ladder.errors import UsageError
from ladder.names import check_line, check_name, check_text
from ladder.registry.specs.board_support import ANY, FORBIDDEN, FORBIDDEN_ONLY
from ladder.results.exchange.jsonl import (
    ImportRefused,
    NumberedGame,
    check_analysis,
    solved_positions,
)

SAME_OF_PAIR = ("rated", "board", "board_class", "seed", "opening_plies")
"""Fields that must be equal in both games of a pair."""


CheckResult = Callable[[RunKind, Mapping[str, Any]], None]
"""Refuses what is not the result of a run of a kind. Raises ValueError."""


def check_game(game: GameLine, check_result: CheckResult) -> None:
    """Check the names, texts, descriptions, results and thoughts in a game's line.

    Raises:
        ValueError: it breaks a rule.
        EngineError: a board is invalid.
        UsageError: a name or text is not allowed.

    """
    ply = None if game.adjudicated is None else game.adjudicated.ply
    is_adjudicated = game.termination is Termination.ADJUDICATED
    _require(
        ply == (len(game.moves) if is_adjudicated else None),
        "an adjudicated game, and no other, must say after how many plies it was adjudicated",
    )
    check_name(game.first)
    check_name(game.second)
    if game.introduces is not None:
        for bot in game.introduces.bots:
            check_bot(bot)
        if game.introduces.openings is not None:
            check_openings(game.introduces.openings, game.division.openings)
        if game.introduces.settings is not None:
            settings_of(game.kind, game.introduces.settings).check()
    check_analysis(game)
    if game.timing.result is not None:
        for text in texts_in(game.timing.result.facts):
            check_text(text, "the result of a run")
        check_result(game.kind, game.timing.result.facts)
    for thought in game.timing.all_thoughts():  # now, as packing requires valid times
        fault = find_thought_fault(thought)
        _require(fault is None, str(fault))
    parse_moves(game.moves)


def check_bot(bot: BotLine) -> None:
    """Check the description of a bot.

    Raises:
        EngineError: a board is invalid.
        UsageError: a name or text is not allowed.

    """
    check_name(bot.name)
    check_name(bot.family, "a bot's family")
    if bot.based_on is not None:
        check_name(bot.based_on, "the bot that another is based on")
    bot.change = check_line(bot.change, "what a bot changes")
    check_text(bot.spec, "a bot's specification")
    for board in bot.boards or ():
        if board not in (ANY, FORBIDDEN, FORBIDDEN_ONLY):
            parse_board_class(board)
    for file, digest in bot.files.items():
        check_text(file, "a file of a bot")
        check_text(digest, "the hash of a file")


def check_openings(openings: OpeningsLine, wanted: str | None) -> None:
    """Check that a set of openings is the one that a division names by its hash.

    Raises:
        ValueError: its text is invalid, or of another set.
        UsageError: its name is not allowed.

    """
    check_line(openings.name, "the name of a set of openings")
    known = parse_opening_set(openings.text)
    _require(known.text == openings.text, "openings must be sorted, one per line")
    _require(known.content_hash == wanted, "the openings are not those of the division")


def check_pair(one: GameLine, two: GameLine) -> None:
    """Check that two games have one setup and the same bots with colours swapped.

    Raises:
        ValueError: they do not.

    """
    for name in SAME_OF_PAIR:
        _require(
            getattr(one, name) == getattr(two, name),
            f"the games of a pair must have the same {name}",
        )
    swapped = (two.second, two.second_hash, two.first, two.first_hash)
    _require(
        (one.first, one.first_hash, one.second, one.second_hash) == swapped,
        "the games of a pair must have the same bots with colours swapped",
    )


def _require(fact: bool, otherwise: str) -> None:
    if not fact:
        raise ValueError(otherwise)


def import_games(
    store: Store,
    name: str,
    read: Iterable[NumberedGame],
    archives: Sequence[UnpackedArchive] = (),
    *,
    check_result: CheckResult,
) -> Imported:
    """Check all games and store the new ones, in one transaction.

    Args:
        store: the database to store them in.
        name: the file's name, for messages.
        read: the games in the order of the file.
        archives: the files of its bots, complete when its games have been read.
        check_result: refuses results that are not readable; experiments know their kinds.

    Raises:
        ImportRefused: a line, run, pair or game breaks a rule, a pair lacks a game, or a stored
            pair of the same number differs.

    """
    games: dict[tuple[int, str, int], list[NumberedGame]] = {}
    for each in read:
        _checked(name, each.line, partial(check_game, check_result=check_result), each.game)
        key = (each.game.run, each.game.stream, each.game.pair)
        games.setdefault(key, []).append(each)
    pairs = [_pair(name, each) for each in games.values()]
    # In the order of storing.
    pairs.sort(key=lambda pair: max(each.game.timing.stored for each in pair))
    lines = [[each.game for each in pair] for pair in pairs]
    try:
        return store.exchange.import_lines(
            lines, archives, solved_positions(chain.from_iterable(lines))
        )
    except NotImportable as error:
        raise ImportRefused(name, pairs[error.index][error.game].line, str(error)) from error


def _pair(name: str, games: Sequence[NumberedGame]) -> list[NumberedGame]:
    """Return the games of a pair, in order."""
    line, pair = games[0].line, sorted(games, key=lambda each: each.game.game)
    whole = list(range(pair[0].game.kind.games_per_pair))
    if [each.game.game for each in pair] != whole:
        wanted = "the games 0 and 1, each" if len(whole) == 2 else "game 0"
        raise ImportRefused(name, line, f"a pair must have {wanted} once in the file")
    if len(pair) == 2:
        _checked(name, line, check_pair, pair[0].game, pair[1].game)
    return pair


def _checked(name: str, line: int, check: Callable[..., None], *games: GameLine) -> None:
    try:
        check(*games)
    except (EngineError, ValueError, UsageError) as error:
        raise ImportRefused(name, line, str(error)) from error
