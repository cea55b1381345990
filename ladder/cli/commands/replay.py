"""`ladder replay`: steps through a game."""

from typing import Annotated

from rich.console import Console, Group
from rich.text import Text

from bots.protocol import encode
from db.records.games import GameQuery, GameRow
from db.store import Store
from engine.board import parse_board
from engine.errors import EngineError
from engine.position import parse_position
from engine.result import Result
from ladder.cli.completion import bot_names
from ladder.cli.database import open_or_preview, open_to_read
from ladder.cli.options import DEFAULT_DATABASE, BotName, Database, PliesFromZero, Takes, Work
from ladder.cli.output import print_error, print_out, print_result, stdout_console
from ladder.cli.parsing import parse_time
from ladder.cli.run_options import BotOptions
from ladder.cli.terminal.screen import Screen, TypedLine, can_draw, with_prompt
from ladder.errors import Stopped, UsageError
from ladder.match.process.sandbox import Confinement
from ladder.results.analysis.division import GameTruth, read_truth
from ladder.results.analysis.review import SECONDS, ReviewLimits, review_game, save_review
from ladder.results.conditions import MOST_DIGITS, unstored_game
from ladder.signals import current_stop
from ladder.tools.rerun import SentGame, rerun, sent_in
from ladder.visible import visible
from reports.analyze import review_status
from reports.layout.format import to_json
from reports.layout.progress import at_intervals
from reports.replay import (
    game_document,
    game_heading,
    last_output_text,
    ply_view,
    rerun_document,
    rerun_text,
    truth_summary,
)

HELP = "right and left step, a number and Enter jump to a ply, Home and End to the ends, q quits"


def replay(
    *,
    words: Annotated[list[str], Takes(autocompletion=bot_names)] | None = None,
    last_loss: bool = False,
    ply: PliesFromZero | None = None,
    analyze: bool = False,
    nodes: Work | None = None,
    time: str | None = None,
    input_: BotName | None = None,
    rerun_: BotName | None = None,
    options: BotOptions,
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
) -> int:
    """Show a game move by move, with what its bots thought.

    On a terminal the arrow keys step through the game; otherwise all positions are printed. A game
    that --analyze or `ladder analyze` has solved also shows its turning point, mistakes, and true
    values.

    Arguments:
      GAME: Number of a game, as `ladder games` lists them, or a board and moves, such as 6x7 3342.
        With --last-loss: one or two bots.

    Options:
      --last-loss: Show the newest game that the first named bot lost, against the second if it is
        named.
      --ply N: Show only the position after N plies.

    Analysis:
      --analyze: Solve the game's positions now, which takes seconds, and store their values. Where
        the result stays unknown, v24 estimates it.
      --nodes N: Most positions that the solver searches for one position of the game. [by board and
        empty cells]
      --time 500ms|10s: Processor time of the solver for all positions; later plies come first.
        [10s]

    One of its bots:
      --input BOT: Print the exact lines that this bot of the game was sent, and nothing else.
      --rerun BOT: Start this bot of the game as it is stored now, send it these lines, and show
        where its answers differ.

    Example:
      ladder replay --last-loss mybot v4
    """
    if not analyze and (nodes is not None or time is not None):
        raise UsageError("--nodes and --time limit the solver of --analyze: give --analyze, too")
    if input_ is not None and rerun_ is not None:
        raise UsageError("--input prints what --rerun sends: give one of them")
    confinement = options.confinement()
    line = None if last_loss else _parse_line(words or [])
    # A line needs no database.
    with (open_to_read if line is None else open_or_preview)(db) as store:
        if line is not None:
            row = line
        elif last_loss:
            row = _last_loss(store, words or [], db)
        else:
            row = _find(store, words or [], db)
        last = len(row.moves)
        if ply is not None and not 0 <= ply <= last:
            raise UsageError(f"--ply: game {row.id} has the plies 0 to {last}, got {ply}")
        if bot := input_ or rerun_:
            if line is not None:
                raise UsageError("--input and --rerun need a stored game: give its number")
            sent = sent_in(store, row, bot)
            if rerun_ is None:
                print_out("".join(encode(each).decode() for each in sent.requests))
                return 0
            return _rerun(row, sent, confinement, json=json)
        truth = _review(store, row, nodes, time) if analyze else read_truth(store, row)
    if json:
        print_out(to_json(game_document(row, truth)))
        return 0
    console = stdout_console()
    if ply is None and can_draw(console, parse_board(row.board).rows):
        _step(console, row, truth)
        return 0
    console.print(game_heading(row), soft_wrap=True)
    if truth is not None:
        console.print(visible(truth_summary(row, truth)), soft_wrap=True)
    for number in range(row.opening_plies, last + 1) if ply is None else (ply,):
        console.print(ply_view(row, number, truth))
    if ply in (None, last) and (told := last_output_text(row)):
        console.print(told, soft_wrap=True)
    return 0


def _rerun(row: GameRow, sent: SentGame, confinement: Confinement, *, json: bool) -> int:
    """Send a bot the lines of the game again, and show where its answers differ."""
    if not sent.is_same:
        print_error(f"{sent.entrant.name} is stored in another revision than the one that played")
    moves = list(rerun(row, sent, confinement))
    return print_result(moves, rerun_document, rerun_text, json=json)


def _review(store: Store, row: GameRow, nodes: int | None, time: str | None) -> GameTruth:
    """Solve the positions of a game and store their values.

    Raises:
        UsageError: the game has no moves to analyze.
        Stopped: the user stopped the command; nothing is stored.

    """
    seconds = SECONDS if time is None else parse_time(time, "for the solver") / 1000
    say = at_intervals(print_error)
    with current_stop().defer():
        made = review_game(
            store,
            row,
            ReviewLimits(nodes, seconds),
            is_stopped=current_stop().is_requested,
            on_progress=lambda state: say(review_status(state)),
        )
    if made is None:
        raise Stopped
    if store.is_read_only:
        print_error(f"the values are not stored: {store.where} can only be read")
    else:
        save_review(store, row, made.analysed)
    return made.truth


def _last_loss(store: Store, names: list[str], db: str) -> GameRow:
    if not 1 <= len(names) <= 2:
        raise UsageError(
            "--last-loss needs one or two bots, such as `ladder replay --last-loss A B`"
        )
    bot, opponent = names[0], names[1] if len(names) == 2 else None
    found = store.games.newest(GameQuery(bot=bot, opponent=opponent, result=Result.LOSS), 1)
    if not found:
        against = f" against {opponent}" if opponent else ""
        raise UsageError(f"{bot} has lost no game{against} in {db}: `ladder games` lists others")
    return _find(store, [str(found[0].id)], db)


def _parse_line(words: list[str]) -> GameRow | None:
    """Return the game of a board and moves; None for the number of a game."""
    text = " ".join(words)
    if not text.strip():
        raise UsageError("GAME is missing: `ladder games` lists the numbers of games")
    if text.strip().isdecimal():
        return None
    try:
        return unstored_game(parse_position(text), ("first", "second"))
    except EngineError as error:
        raise UsageError(
            f"GAME: {text!r} is neither a board and moves ({error}) nor the number of a game: "
            "`ladder games` lists them"
        ) from error


def _find(store: Store, words: list[str], db: str) -> GameRow:
    word = " ".join(words).strip()
    row = store.games.get(int(word)) if len(word) <= MOST_DIGITS else None
    if row is None:
        raise UsageError(f"no game {word} is stored in {db}: `ladder games` lists them")
    return row


def _step(console: Console, row: GameRow, truth: GameTruth | None) -> None:
    """Show one ply after the other, as the keys ask."""
    last = len(row.moves)
    ply = row.opening_plies
    line = TypedLine()
    words = last_output_text(row)
    heading = game_heading(row)
    if truth is not None:
        heading += f"\n{visible(truth_summary(row, truth))}"
    usual = f"{HELP}, w last output" if words else HELP
    note, shows_words = usual, False
    with Screen(console) as screen:
        while True:
            below = Text(words) if shows_words else ply_view(row, ply, truth)
            picture = Group(Text(heading), Text(""), below)
            screen.draw(with_prompt(picture, f"[{ply}/{last}] ", line.text, note))
            key, note = screen.key(), usual
            if key == "eof" or (key == "q" and not line.text):
                return
            word = line.text.strip().lower()
            if key == "w" and words and not line.text:
                shows_words = not shows_words
                continue
            shows_words = False
            if key == "enter":
                line.text = ""
            if key in STEPS and not line.text and not (key == "enter" and word):
                ply = max(0, min(ply + STEPS[key], last))
            elif key == "enter" and word.isascii() and word.isdecimal() and int(word) <= last:
                ply = int(word)
            elif key == "enter":
                note = f"{word!r} is not a ply of this game: type 0 to {last}"
            else:
                line.take(key)


END = 1 << 20
STEPS = {
    **dict.fromkeys(("right", "down", "enter", "f", "n", " "), 1),
    **dict.fromkeys(("left", "up", "b", "p"), -1),
    "home": -END,
    "end": END,
    "e": END,
}
"""By how many plies a key moves."""
