"""`ladder play`: a person against a bot."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from bots.champion import CHAMPION
from ladder.cli.completion import bot_names
from ladder.cli.options import (
    DEFAULT_DATABASE,
    PANEL_CONDITIONS,
    Database,
    Depth,
    Nodes,
    Seed,
    Simulations,
    Time,
)
from ladder.cli.run_options import BotOptions, takes_options

if TYPE_CHECKING:
    from db.records.pairs import Entrant
    from ladder.tools.play.game import InteractiveGame


class Side(StrEnum):
    """The side that begins."""

    FIRST = "first"
    SECOND = "second"
    RANDOM = "random"


@takes_options
def play(
    *,
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="A registered bot.", autocompletion=bot_names)
    ],
    side: Annotated[
        Side, typer.Option(help="Which side you play.", rich_help_panel=PANEL_CONDITIONS)
    ] = Side.FIRST,
    board: Annotated[
        str,
        typer.Option(
            metavar="BOARD",
            help="standard, thu, or a size as ROWSxCOLUMNS with an optional forbidden cell: "
            "10x11@3,4. Always rows first: the standard board is 6x7.",
        ),
    ] = "standard",
    time: Time = None,
    simulations: Simulations = None,
    nodes: Nodes = None,
    depth: Depth = None,
    hints: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The bot that `hint` asks, in the same budget.",
            autocompletion=bot_names,
        ),
    ] = CHAMPION,
    save: Annotated[
        bool, typer.Option("--save", help="Store the finished game, outside of every rating.")
    ] = False,
    seed: Seed = None,
    options: BotOptions,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Play against a bot: type a column, undo, hint, info or quit.

    On a terminal the arrows choose a column and Enter drops the stone; over a pipe every line is
    one move or word.
    """
    import secrets

    from engine.board import parse_board_class
    from engine.errors import BoardError
    from engine.seeds import SEED_LIMIT, SplitMix, mix
    from ladder.cli.database import (
        open_or_imagine,
        open_store,
    )
    from ladder.cli.first_starts import warn_of_unknown
    from ladder.cli.output import stdout_console
    from ladder.cli.parsing import budgets_of
    from ladder.cli.terminal.board_screen import dialogue_for
    from ladder.errors import UsageError
    from ladder.runs.budgets import Budgets
    from ladder.tools.play.game import (
        InteractiveGame,
        prepare_entrant,
    )

    confinement = options.confinement()
    budgets = budgets_of(time, simulations, nodes, depth)
    seed = secrets.randbelow(SEED_LIMIT) if seed is None else seed
    random = SplitMix(mix(seed))
    try:
        drawn = parse_board_class(board).draw(random)
    except BoardError as error:
        raise UsageError(f"--board: {error}") from error
    person = random.below(2) if side is Side.RANDOM else int(side is Side.SECOND)

    def hire(name: str, budgets: Budgets) -> "Entrant":
        with open_or_imagine(db) as store:
            warn_of_unknown([store.bots.get(name)])
            return prepare_entrant(store, name, drawn, budgets)

    def adviser(name: str) -> "Entrant":
        try:
            return hire(name or hints, budgets)
        except UsageError:
            # A bot that cannot think in this budget may still be asked, in a second.
            return hire(name or hints, Budgets({"time_ms": HINT_MS}))

    with open_or_imagine(db) as store:
        warn_of_unknown([store.bots.get(bot), store.bots.get(hints)])
        opponent = prepare_entrant(store, bot, drawn, budgets)
    if save:
        # Only now: a refused command leaves no new file behind.
        with open_store(db, create=True, sync=True) as store:
            opponent = prepare_entrant(store, bot, drawn, budgets)
    with InteractiveGame(opponent, confinement, board=drawn, person=person, seed=seed) as game:
        try:
            dialogue_for(stdout_console(), game, adviser).sit()
        finally:
            if save:
                _save(game, db)
    return 0


HINT_MS = 1000
"""Time for a hint of a bot that does not know the budget of the game."""


def _save(game: "InteractiveGame", db: str) -> None:
    from ladder.cli.database import open_store
    from ladder.cli.output import (
        print_error,
        print_out,
    )
    from ladder.tools.play.saving import save_game

    if game.verdict is None:
        print_error("not saved: the game was not over")
        return
    key = save_game(game, db, lambda: open_store(db, create=True))
    print_out(f"saved as game p{key}: `ladder replay p{key}` shows it")
