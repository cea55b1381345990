"""`ladder train`: players that learn from games against themselves."""

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, TypeVar

from bots.catalogue import parse_player
from ladder.cli.database import open_draft, open_or_preview, open_store
from ladder.cli.help import CommandGroup
from ladder.cli.options import (
    DEFAULT_DATABASE,
    MOST_GAMES,
    Database,
    Games,
    GamesFromTwo,
    PliesFromZero,
    Seed,
    Workers,
    whole,
)
from ladder.cli.output import (
    print_error,
    print_finding_or_json,
    print_out,
    report_written,
    stderr_console,
)
from ladder.cli.parsing import parse_boards
from ladder.errors import ExitCode, Stopped
from ladder.learning.c4ai import loop as c4ai_loop
from ladder.learning.c4ai import settings as c4ai_settings
from ladder.learning.value.folder import WEIGHTS, format_note, format_spec, open_folder
from ladder.learning.value.loop import LearningState, learn
from ladder.learning.value.settings import settings_for
from ladder.match.process.cpus import allowed_cpus
from ladder.match.process.sandbox import BUILT_IN_ONLY
from ladder.match.process.worker_pool import WorkerPool, wait_for_result
from ladder.registry.registration import (
    RegistrationRequest,
    examine,
    known_bots,
    refuse_name,
    save_bot,
)
from ladder.registry.specs.spec import BotSource
from ladder.signals import current_stop
from reports.findings.finding import Finding
from reports.layout.progress import View, display_for
from reports.train import LearningView, TrainingView, training_finding

State = TypeVar("State")

app = CommandGroup(help="Train a player by games against itself.")

MOST_DEPTH = 25
MOST_GENERATIONS = 99
FEWEST_GAMES = 100
MOST_SIMULATIONS = 1_000_000


@app.command("c4ai")
def c4ai(
    generations: Games = 1000,
    games_per_trial: GamesFromTwo | None = None,
    boards: str | None = None,
    depth: Annotated[int, whole(1, MOST_DEPTH)] | None = None,
    opening_plies: PliesFromZero | None = None,
    start: str | None = None,
    seed: Seed | None = None,
    output: Path = Path("c4ai-training"),
    register: str | None = None,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Train the weights of the player c4ai by games against mutations of itself.

    In each generation a child with changed weights plays its parent, and replaces it if it wins
    more games than it loses. The same command continues an interrupted training; Ctrl-C loses at
    most one generation. Play the result as 'builtin:c4ai?weights=FOLDER/weights.csv'.

    Options:
      --games-per-trial N: Games of each child against its parent, an even number. [2]
      --boards LIST: Boards, as for `ladder run`. [standard]
      --depth N: Search depth of both players, an odd number of plies. [5]
      --start FILE: First weights: a CSV file, six numbers such as 0,0,0,900,0,0, or published.
        [published]
      -o, --output FOLDER: Folder for the log and the weights.

    What to play:
      --seed N: Seed of all random choices: the same seed repeats them. [a random one]

    Example:
      ladder train c4ai --generations 200 --output weights
    """
    settings = c4ai_settings.settings_for(
        output,
        seed=seed,
        start=start,
        boards=None if boards is None else parse_boards(boards),
        opening_plies=opening_plies,
        depth=depth,
        games_per_trial=games_per_trial,
    )
    if register is not None:
        _refuse_taken(register, db)
    pool = WorkerPool(1)  # so that a stop ends a trial even during a move

    def play(*trial: Any) -> c4ai_loop.Score:
        return wait_for_result(pool, pool.call(c4ai_loop.play_trial, *trial))

    with closing(pool), c4ai_loop.open_log(output, settings, generations) as log:
        state = log.state
        if state.generation >= generations:
            print_error(f"nothing to do: {output} holds {state.generation} generations already")
        code = _train(TrainingView(), state, map(log.add, c4ai_loop.train(state, play)))
    report_written("the log and the weights", output)
    print_out(str(state.weights))
    if code == ExitCode.DONE and register is not None:
        _register(register, c4ai_loop.format_spec(output), "c4ai", c4ai_loop.format_note(state), db)
    return code


@app.command("value")
def value(
    generations: Annotated[int, whole(1, MOST_GENERATIONS)] = 4,
    games: Annotated[int, whole(FEWEST_GAMES, MOST_GAMES)] | None = None,
    player: str | None = None,
    start: str | None = None,
    simulations: Annotated[int, whole(1, MOST_SIMULATIONS)] | None = None,
    boards: str | None = None,
    seed: Seed | None = None,
    concurrency: Workers | None = None,
    output: Path = Path("value-training"),
    register: str | None = None,
    json: bool = False,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Train the learned evaluation by games against itself.

    Each generation plays games and fits weights to their positions. The folder of --output
    holds the games, the weights of each generation and a page with charts. The same command
    continues an interrupted training and finds the same weights as without the interruption. Play
    the result as 'builtin:v21?weights=FOLDER/weights.npz', or with another player's name.

    Options:
      --games N: Games of self-play per generation. [30000]
      --player NAME: Built-in player of the first generation's games; v21 with the weights so far
        plays later ones. With --start it plays all games, with the weights so far. [v18; with
        --start the champion]
      --start WEIGHTS: Weights to train further instead of new ones: a file, shipped or
        fifth-generation.
      --simulations N: Simulations per move. [400]
      --boards LIST: Boards, as for `ladder run`; half of the games are played on the first one.
        [thu,standard,8x8]
      -o, --output FOLDER: Folder for the games and the weights.

    What to play:
      --seed N: Seed of all random choices: the same seed repeats them. [a random one]

    How to play:
      --concurrency N: Games to play at the same time. [the CPUs that this process may use]

    Example:
      ladder train value --games 5000 --generations 3 --output weights
    """
    settings = settings_for(
        output,
        seed=seed,
        player=player,
        start=start,
        simulations=simulations,
        games=games,
        boards=None if boards is None else parse_boards(boards),
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
            finding = training_finding(state, str(output / WEIGHTS))
            folder.write_page(_page(finding))
            report_written("the games, the weights and a page", output)
    if state.records:
        print_finding_or_json(finding, json=json, verbose=True)
    if code == ExitCode.DONE and register is not None:
        based_on = parse_player(settings.learner)[0].name
        spec = format_spec(output, settings)
        _register(register, spec, based_on, format_note(state.records), db)
    return code


def _page(finding: Finding) -> str:
    from reports.html.findings import finding_page, training_figures

    return finding_page(finding, training_figures(finding.document))


def _train(view: View[State], state: State, steps: Iterable[object]) -> int:
    """Train step by step while a display shows the progress, and return the exit code."""
    display = display_for(stderr_console(), view)
    display.started(state)
    try:
        with current_stop().defer():
            for _ in steps:
                display.tick(state)
    except Stopped:
        return ExitCode.STOPPED
    finally:
        display.ended(state)
    return ExitCode.DONE


def _refuse_taken(name: str, db: str) -> None:
    """Refuse a registered name before the training, not after it."""
    with open_or_preview(db) as store:
        refuse_name(store, name)


def _register(name: str, spec: str, based_on: str, note: str, db: str) -> None:
    """Register the bot that plays with the weights of a training."""
    request = RegistrationRequest(
        name=name, source=BotSource(spec, Path.cwd()), based_on=based_on, note=note
    )
    with open_draft(db) as store:
        examined = examine(known_bots(store), request, BUILT_IN_ONLY)
    with open_store(db, create=True, sync=True) as store:
        save_bot(store, examined.new, replace=False)
    print_error(f"{name} is registered")
