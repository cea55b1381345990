"""`ladder train`: self-learning."""

from pathlib import Path
from typing import Annotated

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

    from ladder.cli.output import (
        print_error,
        print_out,
        stderr_console,
    )
    from ladder.cli.parsing import boards_of
    from ladder.errors import ExitCode, Stopped
    from ladder.learning.c4ai.log import opened, settings_in, spec_of
    from ladder.learning.c4ai.loop import note_of, train
    from ladder.learning.c4ai.settings import chosen_settings, settle
    from ladder.learning.c4ai.trials import TrialsApart
    from ladder.signals import current_stop
    from reports.train.c4ai import training_watcher

    chosen = chosen_settings(
        seed=seed,
        start=start,
        boards=None if boards is None else boards_of(boards),
        opening_plies=opening_plies,
        depth=depth,
        games_per_trial=games_per_trial,
    )
    settings = settle(chosen, settings_in(output), output)
    if register is not None:
        _refuse_taken(register, db)
    code = ExitCode.DONE
    with opened(output, settings, generations) as log:
        state = log.state
        if state.generation >= generations:
            print_error(f"nothing to do: {output} holds {state.generation} generations already")
        watcher = training_watcher(stderr_console())
        watcher.started(state)
        try:
            with current_stop().defer(), closing(TrialsApart(settings)) as trials:
                for one in train(state, trials.play):
                    log.add(one)
                    watcher.tick(state)
        except Stopped:
            code = ExitCode.STOPPED
        finally:
            watcher.ended(state)
    print_out(str(state.weights))
    if code == ExitCode.DONE and register is not None:
        _enrol(register, spec_of(output), "c4ai", note_of(state), db)
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
    from engine.board import format_board_classes
    from ladder.cli.output import print_error, print_out, stderr_console
    from ladder.cli.parsing import boards_of
    from ladder.errors import ExitCode, Stopped
    from ladder.learning.value.folder import WEIGHTS, opened, settings_in
    from ladder.learning.value.loop import LearningState, learn
    from ladder.learning.value.settings import LEARNER, ChosenSettings, command_of, settle
    from ladder.match.process.cpus import allowed_cpus
    from ladder.signals import current_stop
    from reports.html.learning import learning_page
    from reports.train.value import learning_watcher

    chosen = ChosenSettings(
        seed=seed,
        player=player,
        simulations=simulations,
        games=games,
        boards=None if boards is None else format_board_classes(boards_of(boards)),
    )
    settings = settle(chosen, settings_in(output), output)
    if register is not None:
        _refuse_taken(register, db)
    code = ExitCode.DONE
    with opened(output, settings) as folder:
        records = folder.records()
        state = LearningState(settings, generations, records, records_before=len(records))
        if len(records) >= generations:
            print_error(f"nothing to do: {output} holds {len(records)} generations already")
        watcher = learning_watcher(stderr_console())
        watcher.started(state)
        try:
            with current_stop().defer():
                for _ in learn(folder, state, concurrency or allowed_cpus()):
                    watcher.tick(state)
        except Stopped:
            code = ExitCode.STOPPED
        finally:
            watcher.ended(state)
        if state.records:
            folder.write_page(learning_page(state))
    if state.records:
        print_out(str(output / WEIGHTS))
        print_out(f"made by: {command_of(settings, len(state.records))}")
    if code == ExitCode.DONE and register is not None:
        from ladder.learning.value.folder import note_of, spec_of

        _enrol(register, spec_of(output), LEARNER, note_of(state.records), db)
    return code


def _refuse_taken(name: str, db: str) -> None:
    """Refuse a name that is taken before the work, not after it."""
    from ladder.cli.database import open_or_imagine
    from ladder.match.registry.register import refuse_name

    with open_or_imagine(db) as store:
        refuse_name(store, name)


def _enrol(name: str, spec: str, based_on: str, note: str, db: str) -> None:
    """Register what a training has come to."""
    from ladder.cli.database import (
        open_draft,
        open_store,
    )
    from ladder.cli.output import print_out
    from ladder.match.process.confinement import BUILT_IN_ONLY
    from ladder.match.registry.register import RegistrationRequest, examine, known_bots, save_bot

    request = RegistrationRequest(
        name=name, spec=spec, folder=Path.cwd(), based_on=based_on, note=note
    )
    with open_draft(db) as store:
        examined = examine(known_bots(store), request, BUILT_IN_ONLY)
    with open_store(db, create=True, sync=True) as store:
        save_bot(store, examined.new, replace=False)
    print_out(f"{name} is registered")
