"""`ladder train`: self-learning."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.help import HelpGroup
from ladder.cli.options import DEFAULT_DATABASE, LARGEST_SEED, MOST_GAMES, Database, OpeningPlies

if TYPE_CHECKING:
    from ladder.training.loop import TrainingState


app = typer.Typer(
    cls=HelpGroup, no_args_is_help=True, rich_markup_mode=None, help="Let a player learn."
)

MOST_DEPTH = 25


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
    from ladder.signals import stops_heeded
    from ladder.training.log import opened, settings_in
    from ladder.training.loop import train
    from ladder.training.settings import chosen_settings, settle
    from ladder.training.trials import TrialsApart
    from reports.train import training_watcher

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
            with stops_heeded(), closing(TrialsApart(settings)) as trials:
                for one in train(state, trials.play):
                    log.add(one)
                    watcher.tick(state)
        except Stopped:
            code = ExitCode.STOPPED
        finally:
            watcher.ended(state)
    print_out(str(state.weights))
    if code == ExitCode.DONE and register is not None:
        _register(register, output, state, db)
    return code


def _refuse_taken(name: str, db: str) -> None:
    """Refuse a name that is taken before the work, not after it."""
    from ladder.cli.database import open_or_imagine
    from ladder.registry.register import refuse_name

    with open_or_imagine(db) as store:
        refuse_name(store, name)


def _register(name: str, folder: Path, state: "TrainingState", db: str) -> None:
    from ladder.cli.database import (
        open_draft,
        open_store,
    )
    from ladder.cli.output import print_out
    from ladder.process.confinement import UNCONFINED
    from ladder.registry.register import Request, enrol, examine, known_bots
    from ladder.training.log import spec_of
    from ladder.training.loop import note_of

    request = Request(
        name=name, spec=spec_of(folder), folder=Path.cwd(), based_on="c4ai", note=note_of(state)
    )
    with open_draft(db) as store:
        examined = examine(known_bots(store), request, UNCONFINED)
    with open_store(db, create=True, sync=True) as store:
        enrol(store, examined.new, replace=False)
    print_out(f"{name} is registered")
