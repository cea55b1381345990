"""`ladder play`: a person against a bot."""

import secrets
from enum import StrEnum

from bots.champion import CHAMPION
from db.errors import DatabaseError
from db.records.pairs import Entrant
from engine.board_class import parse_board_class
from engine.errors import BoardError
from engine.seeds import SEED_LIMIT, SplitMix, mix
from ladder.cli.database import open_or_preview, open_store
from ladder.cli.options import DEFAULT_DATABASE, BotName, Database, Plies, Seed, Work
from ladder.cli.output import print_error, print_out, stdout_console
from ladder.cli.parsing import parse_budgets
from ladder.cli.run_options import BotOptions
from ladder.cli.stored_specs import report_changed_origins
from ladder.cli.terminal.board_screen import dialogue_for
from ladder.errors import UsageError
from ladder.runs.budgets import Budgets
from ladder.tools.play.game import InteractiveGame, prepare_entrant
from reports.play import replay_line


class Side(StrEnum):
    """The side that the person plays."""

    FIRST = "first"
    SECOND = "second"
    RANDOM = "random"


def play(
    *,
    bot: BotName,
    side: Side = Side.FIRST,
    board: str = "standard",
    time: str | None = None,
    simulations: Work | None = None,
    nodes: Work | None = None,
    depth: Plies | None = None,
    hints: BotName = CHAMPION,
    save: bool = False,
    seed: Seed | None = None,
    options: BotOptions,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Play against a bot in the terminal.

    The arrow keys choose a column and Enter drops the stone. You can also type a column, or one of
    the words undo, hint, values, info, help and quit. Over a pipe, every line is one column or
    word.

    Arguments:
      BOT: Registered bot to play.

    What to play:
      --side: Side that you play; first moves first.
      --board BOARD: Board: standard (6x7), ROWSxCOLUMNS such as 10x11@3,4 with a forbidden cell, or
        a set from which it is drawn: {board sets}.
      --hints NAME: Registered bot that gives hints.
      --seed N: Seed of all random choices: the same seed repeats them. [a random one]

    Database and output:
      --save: Store the finished game, unrated, as one of the bot `human`.

    Example:
      ladder play v12 --board 10x11@3,4 --time 200ms
    """
    confinement = options.confinement()
    budgets = parse_budgets(time, simulations, nodes, depth)
    seed = secrets.randbelow(SEED_LIMIT) if seed is None else seed
    random = SplitMix(mix(seed))
    try:
        drawn = parse_board_class(board).draw(random)
    except BoardError as error:
        raise UsageError(f"--board: {error}") from error
    person = random.below(2) if side is Side.RANDOM else int(side is Side.SECOND)

    def start_bot(name: str, budgets: Budgets) -> Entrant:
        with open_or_preview(db) as store:
            return prepare_entrant(store, name, drawn, budgets)

    def adviser(name: str) -> Entrant:
        try:
            return start_bot(name or hints, budgets)
        except UsageError:
            # The bot does not support the budget of the game: give it a second.
            return start_bot(name or hints, Budgets({"time_ms": HINT_MS}))

    with open_or_preview(db) as store:
        store.bots.get(hints)
        report_changed_origins(store, [store.bots.get(bot)])
        opponent = prepare_entrant(store, bot, drawn, budgets)
    if save:
        # A command that is refused must not create a database, so it is only opened now.
        with open_store(db, create=True, sync=True) as store:
            opponent = prepare_entrant(store, bot, drawn, budgets)
    with InteractiveGame(opponent, confinement, board=drawn, person=person, seed=seed) as game:
        try:
            dialogue_for(stdout_console(), game, adviser).play()
        finally:
            _finish(game, db, save=save)
    return 0


HINT_MS = 1000
"""Time for a hint of a bot that does not support the budget of the game."""


def _finish(game: InteractiveGame, db: str, *, save: bool) -> None:
    """Store the game if that is wanted, else print the command that shows it."""
    if save and game.verdict is None:
        print_error("not saved: the game was not over")
    line = f"`{replay_line(game.position)}` shows this game"
    if not save or game.verdict is None:
        if game.position.moves:
            print_out(line)
        return
    try:
        with open_store(db, create=True) as store:
            key = store.plays.add(game.record())
    except DatabaseError as error:
        raise UsageError(f"the game was not saved: {error}; {line}") from error
    print_out(f"saved as game {key}: `ladder replay {key}` shows it")
