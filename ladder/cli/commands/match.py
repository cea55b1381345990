"""`ladder match`: a head-to-head of two bots."""

from typing import Annotated

import typer

from ladder.cli.options import (
    DEFAULT_DATABASE,
    Boards,
    Concurrency,
    CpuTime,
    Database,
    Depth,
    Json,
    Margin,
    Memory,
    Nodes,
    OpenFiles,
    OpeningPlies,
    Pin,
    Processes,
    RestartOption,
    Sandbox,
    Scratch,
    Seed,
    Simulations,
    Time,
    Watchdog,
)


def match(
    a: Annotated[str, typer.Argument(metavar="A", help="A registered bot.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Its opponent.")],
    games: Annotated[int, typer.Option(metavar="N", help="How many games.")] = 100,
    boards: Boards = "thu",
    time: Time = None,
    simulations: Simulations = None,
    nodes: Nodes = None,
    depth: Depth = None,
    opening_plies: OpeningPlies = None,
    rated: Annotated[
        bool, typer.Option("--rated", help="Let the games count in the rating list.")
    ] = False,
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
    db: Database = DEFAULT_DATABASE,
    json: Json = False,
) -> int:
    """Play A against B; the games are stored outside the rating list unless --rated."""
    from db.records.launch import Limits
    from db.records.runs import RunKind
    from ladder.cli.commands.run import restart_of
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
    from ladder.runs.schedule import (
        Pairing,
        PairingKind,
    )
    from ladder.runs.settings import Settings

    if a == b:
        raise UsageError(f"a match needs two different bots, got {a!r} twice")
    limits = Limits(
        memory_mb=memory,
        open_files=open_files,
        processes=processes,
        scratch_mb=scratch,
        cpu_s=cpu_time,
    )
    prefix = sandbox_of(sandbox)
    settings = Settings(
        bots=(a, b),
        boards=boards_of(boards),
        budgets=budgets_of(time, simulations, nodes, depth),
        pairing=Pairing(PairingKind.ROUND_ROBIN),
        opening_plies=opening_plies,
        seed=seed,
        games=games,
        concurrency=allowed_cpus() if concurrency is None else concurrency,
        restart=restart_of(restart),
        pin=pin,
        margin_ms=parse_margin(margin),
        watchdog_s=watchdog,
        limits=limits,
        sandbox=prefix,
        kind=RunKind.MATCH,
        rated=rated,
    )
    return play_and_report(db, lambda store: (settings, choose_bots(store, [a, b])), json=json)
