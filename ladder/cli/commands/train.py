"""`ladder train`: self-learning."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.help import HelpGroup
from ladder.cli.options import DEFAULT_DATABASE, Database, OpeningPlies

if TYPE_CHECKING:
    from ladder.training.loop import TrainingState
    from ladder.training.settings import TrainingSettings


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
        int, typer.Option(metavar="N", help="Generations in all, those of a resumed log included.")
    ] = 1000,
    games_per_trial: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Games of child against parent, an even number. [default: 2]"
        ),
    ] = None,
    boards: Annotated[
        str | None, typer.Option(metavar="LIST", help="As in run. [default: standard]")
    ] = None,
    depth: Annotated[
        int | None, typer.Option(metavar="N", help="Plies that both look ahead. [default: 5]")
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
        typer.Option(metavar="N", help="Same seed, same training. [default: drawn, printed]"),
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
    from bots.c4ai.selfplay import Interrupted
    from ladder.cli.output import (
        print_error,
        print_out,
        stderr_console,
    )
    from ladder.errors import ExitCode, UsageError
    from ladder.signals import is_stop_wished, stops_heeded
    from ladder.training.log import (
        opened,
        weights_of,
    )
    from ladder.training.loop import train
    from reports.train import training_watcher

    if generations < 1:
        raise UsageError(f"--generations must be at least 1, got {generations}")
    settings = _settings(games_per_trial, boards, depth, opening_plies, start, seed, output)
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
            with stops_heeded():
                for one in train(state, is_stop_wished):
                    log.add(one)
                    watcher.tick(state)
        except Interrupted:
            code = ExitCode.STOPPED
        finally:
            watcher.ended(state)
    print_out(str(state.weights))
    if code == 0 and register is not None:
        _register(register, weights_of(output), state, db)
    return code


def _settings(
    games_per_trial: int | None,
    boards: str | None,
    depth: int | None,
    opening_plies: int | None,
    start: str | None,
    seed: int | None,
    output: Path,
) -> "TrainingSettings":
    """Those of the options; where the folder holds a training, its own, which must agree.

    Raises:
        UsageError: an option is out of range, or another than that of the training to resume.
        SpecError: the first weights cannot be read.

    """
    import secrets

    from bots.c4ai.weights import find_weights
    from engine.board import format_board_classes
    from engine.seeds import SEED_LIMIT
    from ladder.cli.parsing import boards_of
    from ladder.errors import UsageError
    from ladder.training.log import settings_in
    from ladder.training.settings import TrainingSettings

    if games_per_trial is not None and (games_per_trial < 2 or games_per_trial % 2):
        raise UsageError(f"--games-per-trial must be 2, 4, 6, ..., got {games_per_trial}")
    if depth is not None and not 1 <= depth <= MOST_DEPTH:
        raise UsageError(f"--depth must be 1..{MOST_DEPTH}, got {depth}")
    if opening_plies is not None and opening_plies < 0:
        raise UsageError(f"--opening-plies must not be negative, got {opening_plies}")
    if seed is not None and not 0 <= seed < SEED_LIMIT:
        raise UsageError(f"--seed must be 0 .. 2**53-1, got {seed}")
    given = {
        "seed": seed,
        "start": None if start is None else find_weights(start),
        "boards": None if boards is None else format_board_classes(boards_of(boards)),
        "opening_plies": opening_plies,
        "depth": depth,
        "games_per_trial": games_per_trial,
    }
    former = settings_in(output)
    if former is not None:
        for name, value in given.items():
            was = getattr(former, name)
            if value is not None and value != was:
                raise UsageError(
                    f"--output: the training in {output} has {name.replace('_', ' ')} {was}, not "
                    f"{value}: leave the option out to go on with it, or name another folder"
                )
        return former
    return TrainingSettings(
        seed=secrets.randbelow(SEED_LIMIT) if seed is None else seed,
        start=find_weights(start or "published"),
        boards=format_board_classes(boards_of(boards or "standard")),
        opening_plies=opening_plies,
        depth=5 if depth is None else depth,
        games_per_trial=2 if games_per_trial is None else games_per_trial,
    )


def _refuse_taken(name: str, db: str) -> None:
    """See that the name is free before the work, not after it."""
    from ladder.cli.database import open_or_imagine
    from ladder.registry.register import refuse_name

    with open_or_imagine(db) as store:
        refuse_name(store, name)


def _register(name: str, weights: Path, state: "TrainingState", db: str) -> None:
    from urllib.parse import quote

    from ladder.cli.database import (
        open_draft,
        open_store,
    )
    from ladder.cli.output import print_out
    from ladder.process.confinement import UNCONFINED
    from ladder.registry.register import Request, enrol, examine, known_bots

    settings = state.settings
    note = (
        f"weights after {state.generation} generations on {settings.boards} at depth "
        f"{settings.depth}, seed {settings.seed}"
    )
    spec = f"builtin:c4ai?weights={quote(str(weights))}"
    request = Request(name=name, spec=spec, folder=Path.cwd(), based_on="c4ai", note=note)
    with open_draft(db) as store:
        examined = examine(known_bots(store), request, UNCONFINED)
    with open_store(db, create=True, sync=True) as store:
        enrol(store, examined.new, replace=False)
    print_out(f"{name} is registered")
