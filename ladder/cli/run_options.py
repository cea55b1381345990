"""The shared options of commands that start bots, and their reading."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import wraps
from pathlib import Path
from typing import Any, cast

import typer

from db.records.launch import Limits
from db.records.runs import RunKind
from engine.board import BoardClass
from ladder.cli.database import is_missing, open_to_read
from ladder.cli.options import (
    Adjudicate,
    Boards,
    Clock,
    ClusterAddress,
    Concurrency,
    Depth,
    Margin,
    Memory,
    Nodes,
    Note,
    OpenFiles,
    OpeningPlies,
    Openings,
    Overage,
    Pin,
    Processes,
    RestartOption,
    RunSeed,
    Sandbox,
    Simulations,
    Time,
    TlsCaFile,
    TlsCert,
    TlsKey,
    Watchdog,
)
from ladder.cli.parsing import parse_boards, parse_budgets, parse_margin, parse_sandbox
from ladder.cli.resume import all_options, command_line, options_to_store
from ladder.errors import UsageError
from ladder.match.openings.openings_file import (
    BALANCED,
    NamedOpenings,
    find_stored_openings,
    read_openings,
    shipped_openings,
)
from ladder.match.process.confinement import Confinement
from ladder.match.process.cpus import allowed_cpus
from ladder.names import check_line
from ladder.runs.executor import Workforce
from ladder.runs.pairings import Pairing
from ladder.runs.schedule import refuse_long_openings, refuse_other_boards
from ladder.runs.settings import ResumePolicy, RunSettings

NO_OPTION = "no option"
"""Marks a field of a class of options that is not an option."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BotOptions:
    """Limits and sandbox of bots, as given on the command line or in `ladder.toml`."""

    memory: Memory = 1024
    open_files: OpenFiles = 1024
    processes: Processes = 64
    sandbox: Sandbox = None
    context: typer.Context | None = field(default=None, metadata={NO_OPTION: True})
    """The context of the command; None without a command."""

    @property
    def stored(self) -> dict[str, object]:
        """Options of the command, as they are stored with a run."""
        return {} if self.context is None else options_to_store(self.context)

    def command_line(self, options: Mapping[str, object] | None = None) -> str:
        """Return the command line of stored options, or of this command.

        Args:
            options: as `stored` returned them, from this command's database; None for those of
                this command.

        """
        assert self.context is not None  # noqa: S101 - within a command
        if options is None:
            return command_line(all_options(self.context), self.context)
        place = {"db": str(self.context.params["db"])}
        return command_line({**options, **place}, self.context)

    def confinement(self, *, logs: Path | None = None) -> Confinement:
        """Return the limits, the sandbox and the logs of the bots that the command starts.

        Args:
            logs: folder for what bots write to stderr; None to discard it.

        Raises:
            UsageError: the sandbox is not the beginning of a command.

        """
        return Confinement(
            limits=Limits(
                memory_mb=self.memory,
                open_files=self.open_files,
                processes=self.processes,
            ),
            sandbox=parse_sandbox(self.sandbox),
            logs=logs,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class RunOptions(BotOptions):
    """The options that all commands share that play runs."""

    boards: Boards = "thu"
    time: Time = None
    overage: Overage = None
    clock: Clock = None
    simulations: Simulations = None
    nodes: Nodes = None
    depth: Depth = None
    opening_plies: OpeningPlies = None
    openings: Openings = None
    adjudicate: Adjudicate = None
    seed: RunSeed = None
    concurrency: Concurrency = None
    restart: RestartOption = None
    pin: Pin = True
    margin: Margin = "50ms"
    watchdog: Watchdog = 60.0
    note: Note = ""
    cluster: ClusterAddress = None
    tls_ca_file: TlsCaFile = None
    tls_cert: TlsCert = None
    tls_key: TlsKey = None

    def workforce(self) -> Workforce:
        """Return the machines that play.

        Raises:
            UsageError: the address of a scheduler cannot be used.

        """
        from ladder.runs.cluster.workforce import workforce_of

        if self.cluster is not None and self.concurrency is not None:
            raise UsageError(
                "--concurrency cannot be combined with --cluster: give --slots to each "
                "`ladder worker` instead"
            )
        if self.cluster is None and self.context is not None and self.context.obj is not None:
            return cast(Workforce, self.context.obj)
        return workforce_of(self.cluster, self.tls_ca_file, self.tls_cert, self.tls_key)

    def settings(
        self,
        *,
        db: str,
        kind: RunKind,
        bots: tuple[str, ...],
        pairing: Pairing,
        games: int | None = None,
        seconds: float | None = None,
        rated: bool = True,
        resume_policy: ResumePolicy | None = None,
    ) -> RunSettings:
        """Return the settings of a run with these options.

        Args:
            db: the database, which may hold the openings if their file is missing.
            kind: the kind of run.
            bots: names of registered bots.
            pairing: how opponents are chosen.
            games: finished games after which the run ends; None for no limit.
            seconds: wall time after which the run ends; None for no limit.
            rated: whether the games count in the rating list.
            resume_policy: what to do with an interrupted run of the same identity; None to resume
                it.

        Raises:
            UsageError: a value cannot be read, lies out of range, or contradicts another.

        """
        classes = parse_boards(self.boards)
        openings = self._openings(db, classes)
        if openings is None:
            refuse_long_openings(self.opening_plies, classes)
        else:
            refuse_other_boards(openings.set, classes)
        return RunSettings(
            bots=bots,
            boards=classes,
            budgets=parse_budgets(
                self.time,
                self.simulations,
                self.nodes,
                self.depth,
                overage=self.overage,
                clock=self.clock,
            ),
            pairing=pairing,
            opening_plies=self.opening_plies,
            openings=openings,
            adjudicate=self.adjudicate or None,
            seed=self.seed,
            games=games,
            seconds=seconds,
            concurrency=allowed_cpus() if self.concurrency is None else self.concurrency,
            restart=self.restart,
            pin=self.pin,
            margin_ms=parse_margin(self.margin),
            watchdog_s=self.watchdog,
            confinement=self.confinement(),
            kind=kind,
            rated=rated,
            resume_policy=resume_policy or ResumePolicy.AUTO,
            note=check_line(self.note, "--note"),
            options=self.stored,
        )

    def _openings(self, db: str, boards: "tuple[BoardClass, ...]") -> NamedOpenings | None:
        """Return the openings of the file, those stored from it or shipped. Raises UsageError."""
        if self.openings is None:
            return None
        if self.opening_plies is not None:
            raise UsageError("--openings and --opening-plies contradict each other: give one")
        file = Path(self.openings)
        if self.openings == BALANCED and not file.exists():
            return shipped_openings(boards)
        if file.exists() or is_missing(db):
            return read_openings(file)
        with open_to_read(db) as store:
            return find_stored_openings(store, self.openings)


def takes_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command an option for each field of the class of its parameter `options`.

    All parameters of the command are keywords. The options take the place of `options`.
    """
    signature = inspect.signature(command)
    kind = signature.parameters["options"].annotation
    shared = [
        inspect.Parameter(
            each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type
        )
        for each in fields(kind)
        if NO_OPTION not in each.metadata
    ]
    keyword_only = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("context", keyword_only, annotation=typer.Context)]
    for parameter in signature.parameters.values():
        if parameter.name == "options":
            parameters += shared
        else:
            parameters.append(parameter)

    @wraps(command)
    def reading(context: typer.Context, **words: Any) -> int:
        given = {each.name: words.pop(each.name) for each in shared}
        if any(each.name == "context" for each in fields(kind)):
            given["context"] = context
        return command(options=kind(**given), **words)

    reading.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return reading
