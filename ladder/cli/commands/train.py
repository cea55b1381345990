"""`ladder train`: players that learn from games against themselves."""

from pathlib import Path
from typing import Annotated

from ladder.cli.help import CommandGroup
from ladder.cli.options import (
    DEFAULT_DATABASE,
    MOST_GAMES,
    Database,
    OpeningPlies,
    Seed,
    at_once,
    option,
    whole,
)

app = CommandGroup(help="Train a player by games against itself.")

MOST_DEPTH = 25
MOST_GENERATIONS = 99
FEWEST_GAMES = 100
MOST_SIMULATIONS = 1_000_000


Register = Annotated[
    str | None, option("NAME", "Register the trained player as a bot of this name.")
]


@app.command("c4ai")
def c4ai(
    generations: Annotated[
        int, whole("N", MOST_GAMES, "Number of generations, those before an interruption included.")
    ] = 1000,
    games_per_trial: Annotated[
        int | None,
        whole(
            "N",
            MOST_GAMES,
            "Games of each child against its parent, an even number.",
            least=2,
            show_default="2",
        ),
    ] = None,
    boards: Annotated[
        str | None, option("LIST", "Boards, as for `ladder run`.", show_default="standard")
    ] = None,
    depth: Annotated[
        int | None,
        whole(
            "N",
            MOST_DEPTH,
            "Search depth of both players, an odd number of plies.",
            show_default="5",
        ),
    ] = None,
    opening_plies: OpeningPlies = None,
    start: Annotated[
        str | None,
        option(
            "FILE",
            "First weights: a CSV file, six numbers such as 0,0,0,900,0,0, or published.",
            show_default="published",
        ),
    ] = None,
    seed: Seed = None,
    output: Annotated[
        Path, option("FOLDER", "Folder for the log and the weights.", None, "--output", "-o")
    ] = Path("c4ai-training"),
    register: Register = None,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Train the weights of the player c4ai by games against mutations of itself.

    In each generation a child with changed weights plays its parent, and replaces it if it wins
    more games than it loses. The same command continues an interrupted training; Ctrl-C loses at
    most one generation. Play the result as 'builtin:c4ai?weights=FOLDER/weights.csv'.
    """
    from contextlib import closing

    from ladder.cli.output import print_error, print_out, stderr_console
    from ladder.cli.parsing import parse_boards
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
        boards=None if boards is None else parse_boards(boards),
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
        whole(
            "N", MOST_GENERATIONS, "Number of generations, those before an interruption included."
        ),
    ] = 4,
    games: Annotated[
        int | None,
        whole(
            "N",
            MOST_GAMES,
            "Games of self-play per generation.",
            least=FEWEST_GAMES,
            show_default="30000",
        ),
    ] = None,
    player: Annotated[
        str | None,
        option(
            "NAME",
            "Built-in player of the first generation's games; v21 with the weights so far "
            "plays later ones.",
            show_default="v18",
        ),
    ] = None,
    simulations: Annotated[
        int | None, whole("N", MOST_SIMULATIONS, "Simulations per move.", show_default="400")
    ] = None,
    boards: Annotated[
        str | None,
        option(
            "LIST",
            "Boards, as for `ladder run`; half of the games are played on the first one.",
            show_default="thu,standard,8x8",
        ),
    ] = None,
    seed: Seed = None,
    concurrency: Annotated[int | None, at_once("Games to play")] = None,
    output: Annotated[
        Path, option("FOLDER", "Folder for the games and the weights.", None, "--output", "-o")
    ] = Path("value-training"),
    register: Register = None,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Train the evaluation of the player v21 by games against itself.

    Each generation plays games and fits new weights to their positions. The folder of --output
    holds the games, the weights of each generation and a page with charts. The same command
    continues an interrupted training and finds the same weights as without the interruption. Play
    the result as 'builtin:v21?weights=FOLDER/weights.npz'.
    """
    from engine.board import format_board_classes
    from ladder.cli.output import print_error, print_out, stderr_console
    from ladder.cli.parsing import parse_boards
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
        boards=None if boards is None else format_board_classes(parse_boards(boards)),
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
    """Refuse a name that is taken, before the training rather than after it."""
    from ladder.cli.database import open_or_preview
    from ladder.match.registry.register import refuse_name

    with open_or_preview(db) as store:
        refuse_name(store, name)


def _enrol(name: str, spec: str, based_on: str, note: str, db: str) -> None:
    """Register the trained player."""
    from ladder.cli.database import open_draft, open_store
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
