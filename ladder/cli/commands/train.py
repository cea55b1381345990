"""`ladder train`: self-learning."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from ladder.cli.help import HelpGroup
from ladder.cli.options import (
    DEFAULT_DATABASE,
    LARGEST_SEED,
    MOST_GAMES,
    Concurrency,
    Database,
    OpeningPlies,
)

if TYPE_CHECKING:
    from reports.layout.progress import View

State = TypeVar("State")

app = typer.Typer(
    cls=HelpGroup, no_args_is_help=True, rich_markup_mode=None, help="Let a player learn."
)

MOST_DEPTH = 25
MOST_GENERATIONS = 99
FEWEST_GAMES = 100
MOST_SIMULATIONS = 1_000_000


@app.callback()
def players() -> None:
    """Let a player learn by itself."""


@app.command("c4ai")
def c4ai(
    generations: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            max=MOST_GAMES,
            help="Generations in all, those of a resumed log included.",
        ),
    ] = 1000,
    games_per_trial: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=2,
            max=MOST_GAMES,
            help="Games of child against parent, an even number. [default: 2]",
        ),
    ] = None,
    boards: Annotated[
        str | None, typer.Option(metavar="LIST", help="As in run. [default: standard]")
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=MOST_DEPTH, help="Plies that both look ahead. [default: 5]"
        ),
    ] = None,
    opening_plies: OpeningPlies = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The first weights: a CSV file, six numbers, or published. [default: published]",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=LARGEST_SEED,
            help="Same seed, same training. [default: drawn, printed]",
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where log and weights go.")
    ] = Path("c4ai-training"),
    register: Annotated[
        str | None, typer.Option(metavar="NAME", help="Register the result under this name.")
    ] = None,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Train the weights of c4ai by games against mutations of itself.

    The folder of --output holds the log of generations and the weights. The same command goes on
    with the training that it finds there.
    """
    from contextlib import closing

    from ladder.cli.output import print_error, print_out
    from ladder.cli.parsing import boards_of
    from ladder.errors import ExitCode
    from ladder.learning.c4ai.log import format_spec, open_log
    from ladder.learning.c4ai.loop import format_note, train
    from ladder.learning.c4ai.settings import settings_for
    from ladder.learning.c4ai.trials import TrialsInWorker
    from reports.train.c4ai import TrainingView

    settings = settings_for(
        output,
        seed=seed,
        start=start,
        boards=None if boards is None else boards_of(boards),
        opening_plies=opening_plies,
        depth=depth,
        games_per_trial=games_per_trial,
    )
    if register is not None:
        _refuse_taken(register, db)
    with open_log(output, settings, generations) as log:
        state = log.state
        if state.generation >= generations:
            print_error(f"nothing to do: {output} holds {state.generation} generations already")
        with closing(TrialsInWorker(settings)) as trials:
            steps = map(log.add, train(state, trials.play))
            code = _train(TrainingView(), state, steps)
    print_out(str(state.weights))
    if code == ExitCode.DONE and register is not None:
        _register(register, format_spec(output), "c4ai", format_note(state), db)
    return code


@app.command("value")
def value(
    generations: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            max=MOST_GENERATIONS,
            help="Generations in all, those of a resumed training included.",
        ),
    ] = 4,
    games: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=FEWEST_GAMES,
            max=MOST_GAMES,
            help="Games of self-play in each generation. [default: 30000]",
        ),
    ] = None,
    player: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The built-in player of the first generation's games; later ones are played by "
            "v21 with the weights so far. [default: v18]",
        ),
    ] = None,
    simulations: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=MOST_SIMULATIONS, help="Budget of a move. [default: 400]"
        ),
    ] = None,
    boards: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="As in run; half of the games are on the first one. [default: thu,standard,8x8]",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=LARGEST_SEED,
            help="Same seed, same weights. [default: drawn, printed]",
        ),
    ] = None,
    concurrency: Concurrency = None,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where games and weights go."),
    ] = Path("value-training"),
    register: Annotated[
        str | None, typer.Option(metavar="NAME", help="Register the result under this name.")
    ] = None,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Train the evaluation of v21 by games against itself.

    The folder of --output holds the games, the weights of every generation and a page with the
    course of the training. The same command goes on with the training that it finds there, and
    comes to the same weights as one that was never stopped.
    """
    from ladder.cli.output import print_error, print_out
    from ladder.cli.parsing import boards_of
    from ladder.errors import ExitCode
    from ladder.learning.value.folder import WEIGHTS, format_note, format_spec, open_folder
    from ladder.learning.value.loop import LearningState, learn
    from ladder.learning.value.settings import LEARNER, format_command, settings_for
    from ladder.match.process.cpus import allowed_cpus
    from reports.html.learning import learning_page
    from reports.train.value import LearningView

    settings = settings_for(
        output,
        seed=seed,
        player=player,
        simulations=simulations,
        games=games,
        boards=None if boards is None else boards_of(boards),
    )
    if register is not None:
        _refuse_taken(register, db)
    with open_folder(output, settings) as folder:
        records = folder.records()
        state = LearningState(settings, generations, records, records_before=len(records))
        if len(records) >= generations:
            print_error(f"nothing to do: {output} holds {len(records)} generations already")
        steps = learn(folder, state, concurrency or allowed_cpus())
        code = _train(LearningView(), state, steps)
        if state.records:
            folder.write_page(learning_page(state))
    if state.records:
        print_out(str(output / WEIGHTS))
        print_out(f"made by: {format_command(settings, len(state.records))}")
    if code == ExitCode.DONE and register is not None:
        _register(register, format_spec(output), LEARNER, format_note(state.records), db)
    return code


def _train(view: "View[State]", state: "State", steps: Iterable[object]) -> int:
    """Train step by step while a display shows the progress, and return the exit code."""
    from ladder.cli.output import stderr_console
    from ladder.errors import ExitCode, Stopped
    from ladder.signals import stops_heeded
    from reports.layout.progress import display_for

    display = display_for(stderr_console(), view)
    display.started(state)
    try:
        with stops_heeded():
            for _ in steps:
                display.tick(state)
    except Stopped:
        return ExitCode.STOPPED
    finally:
        display.ended(state)
    return ExitCode.DONE


def _refuse_taken(name: str, db: str) -> None:
    """Refuse a registered name before the training, not after it."""
    from ladder.cli.database import open_or_imagine
    from ladder.match.registry.register import refuse_name

    with open_or_imagine(db) as store:
        refuse_name(store, name)


def _register(name: str, spec: str, based_on: str, note: str, db: str) -> None:
    """Register the bot that plays with the weights of a training."""
    from ladder.cli.database import (
        open_draft,
        open_store,
    )
    from ladder.cli.output import print_out
    from ladder.match.process.confinement import BUILT_IN_ONLY
    from ladder.match.registry.register import Request, enrol, examine, known_bots

    request = Request(name=name, spec=spec, folder=Path.cwd(), based_on=based_on, note=note)
    with open_draft(db) as store:
        examined = examine(known_bots(store), request, BUILT_IN_ONLY)
    with open_store(db, create=True, sync=True) as store:
        enrol(store, examined.new, replace=False)
    print_out(f"{name} is registered")
