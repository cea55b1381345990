"""`ladder run`: plays random pairs until told to stop."""

from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.options import (
    DEFAULT_DATABASE,
    Boards,
    Concurrency,
    CpuTime,
    Database,
    Depth,
    Games,
    Json,
    Margin,
    Memory,
    Nodes,
    OpenFiles,
    OpeningPlies,
    Pin,
    Processes,
    RestartOption,
    RestartWord,
    Sandbox,
    Scratch,
    Seed,
    Simulations,
    Time,
    Watchdog,
)

if TYPE_CHECKING:
    from db.records.bots import BotRow
    from db.records.launch import Restart
    from db.store import Store
    from ladder.runs.settings import Settings


def run(
    bots: Annotated[
        str, typer.Option(metavar="LIST", help="Names or patterns: v1,v2 or 'v*'.")
    ] = "*",
    pairing: Annotated[
        str, typer.Option(metavar="KIND", help="random, round-robin, uncertain or gauntlet:NAME.")
    ] = "random",
    boards: Boards = "thu",
    time: Time = None,
    simulations: Simulations = None,
    nodes: Nodes = None,
    depth: Depth = None,
    opening_plies: OpeningPlies = None,
    games: Games = None,
    hours: Annotated[
        float | None, typer.Option(metavar="H", help="Stop after so many hours.")
    ] = None,
    concurrency: Concurrency = None,
    restart: RestartOption = None,
    seed: Seed = None,
    pin: Pin = True,
    margin: Margin = "50ms",
    watchdog: Watchdog = 60.0,
    memory: Memory = 1024,
    open_files: OpenFiles = 1024,
    processes: Processes = 64,
    scratch: Scratch = 1024,
    cpu_time: CpuTime = None,
    sandbox: Sandbox = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Only complete an interrupted run.")
    ] = False,
    new: Annotated[bool, typer.Option("--new", help="Never resume an interrupted run.")] = False,
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """Play pairs of games among registered bots until --games, --hours or Ctrl-C.

    The same command resumes an interrupted run. Exit codes: 0 done, 2 bad input, 5 invalid run
    (bots failing, machine stalling), 130 stopped by Ctrl-C after saving.
    """
    from db.records.launch import Limits
    from db.records.runs import RunKind
    from ladder.cli.parsing import (
        boards_of,
        budgets_of,
        parse_margin,
        sandbox_of,
    )
    from ladder.cli.run_and_report import play_and_report
    from ladder.errors import UsageError
    from ladder.process.cpus import allowed_cpus
    from ladder.registry.registered import choose_bots
    from ladder.runs.schedule import parse_pairing
    from ladder.runs.settings import (
        Continue,
        Settings,
    )
    from ladder.runs.start import names_of

    if resume and new:
        raise UsageError("--resume and --new contradict each other: give one of them")
    # Read everything that can be wrong before the database is touched.
    patterns = names_of(bots)
    classes = boards_of(boards)
    budgets = budgets_of(time, simulations, nodes, depth)
    opponents = parse_pairing(pairing)
    margin_ms = parse_margin(margin)
    limits = Limits(
        memory_mb=memory,
        open_files=open_files,
        processes=processes,
        scratch_mb=scratch,
        cpu_s=cpu_time,
    )
    prefix = sandbox_of(sandbox)

    def settings(names: tuple[str, ...]) -> Settings:
        return Settings(
            bots=names,
            boards=classes,
            budgets=budgets,
            pairing=opponents,
            opening_plies=opening_plies,
            seed=seed,
            games=games,
            seconds=None if hours is None else hours * 3600,
            concurrency=allowed_cpus() if concurrency is None else concurrency,
            restart=restart_of(restart),
            pin=pin,
            margin_ms=margin_ms,
            watchdog_s=watchdog,
            limits=limits,
            sandbox=prefix,
            kind=RunKind.LADDER,
            continuing=Continue.ONLY if resume else Continue.NEVER if new else Continue.AUTO,
        )

    settings(("a", "b"))  # refuses bad numbers before anything is opened

    def choose(store: "Store") -> "tuple[Settings, list[BotRow]]":
        chosen = choose_bots(store, patterns)
        return settings(tuple(bot.name for bot in chosen)), chosen

    return play_and_report(db, choose, json=json)


def restart_of(word: RestartWord | None) -> "Restart | None":
    """The record's word for the option's."""
    from db.records.launch import Restart

    return None if word is None else Restart(word.value)
