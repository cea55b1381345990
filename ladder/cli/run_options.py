"""The shared options of commands that start bots, and their reading."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import typer

from db.records.bots import BotRow, NewBot
from db.records.launch import Limits, Restart
from db.records.rules import RULES, GameRules
from db.records.runs import RunKind
from engine.board_class import THU, BoardClass
from ladder.cli.config import is_from_config
from ladder.cli.database import is_missing, open_or_preview, open_to_read
from ladder.cli.declare import NO_OPTION
from ladder.cli.options import (
    Adjudication,
    Plies,
    PliesFromZero,
    Seconds,
    Seed,
    Work,
    Workers,
    whole,
)
from ladder.cli.output import print_error
from ladder.cli.parsing import parse_boards, parse_budgets, parse_margin, parse_sandbox
from ladder.cli.resume import all_options, command_line, options_to_store
from ladder.errors import UsageError
from ladder.match.process.cpus import allowed_cpus
from ladder.match.process.sandbox import Confinement
from ladder.names import CONFIG, check_line
from ladder.openings.openings_file import (
    BALANCED,
    NamedOpenings,
    find_stored_openings,
    read_openings,
    shipped_openings,
)
from ladder.registry.specs.board_support import can_play_class, describe_boards, propose_boards
from ladder.runs.executor import Workforce
from ladder.runs.pairings import Pairing
from ladder.runs.schedule import refuse_long_openings, refuse_other_boards
from ladder.runs.settings import ResumePolicy, RunSettings


@dataclass(frozen=True, kw_only=True, slots=True)
class BotOptions:
    """Limits and sandbox of bots, as given on the command line or in `ladder.toml`."""

    memory: Annotated[int, whole(1, 1 << 24)] = 1024
    # Fewer do not let the supervisor prepare the bot.
    open_files: Annotated[int, whole(16, 1 << 20)] = 1024
    processes: Annotated[int, whole(1, 1 << 22)] = 64
    sandbox: str | None = None
    context: typer.Context | None = field(default=None, metadata=NO_OPTION)
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

    boards: str | None = None
    """The boards; None for `thu`, unless `suited_to` found others."""
    time: str | None = None
    overage: str | None = None
    clock: str | None = None
    simulations: Work | None = None
    nodes: Work | None = None
    depth: Plies | None = None
    opening_plies: PliesFromZero | None = None
    openings: str | None = None
    adjudicate: Adjudication | None = None
    seed: Seed | None = None
    concurrency: Workers | None = None
    restart: Restart | None = None
    pin: bool = True
    margin: str = "50ms"
    watchdog: Seconds = 60.0
    note: str = ""
    cluster: str | None = None
    tls_ca_file: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None

    def for_bots(self, db: str, names: Iterable[str]) -> "RunOptions":
        """Return the options with boards that the named bots play, and print these.

        Args:
            db: the database.
            names: names of bots; patterns and unknown names have no say.

        """
        chosen = set(names)
        if self.boards is not None or not chosen or is_missing(db):
            return self
        with open_or_preview(db) as store:
            options, reason = self.suited_to(bot for bot in store.bots.all() if bot.name in chosen)
        if reason:
            print_error(reason)
        return options

    def suited_to(self, bots: Iterable[BotRow | NewBot]) -> "tuple[RunOptions, str]":
        """Return the options with boards that bots play, and a line with the reason.

        Without `--boards` that is another class than `thu` if one of them does not play it. The
        line is empty if nothing changes.
        """
        plays = {bot.name: bot.revision.boards for bot in bots}
        thu = BoardClass(THU)
        unfit = [name for name, boards in plays.items() if not can_play_class(boards, thu)]
        if self.boards is not None or not unfit:
            return self, ""
        own = plays[unfit[0]]
        boards = propose_boards(own, plays.values())
        reason = f"boards: {boards}, because {unfit[0]} plays only {describe_boards(own)}"
        return replace(self, boards=boards), reason

    def workforce(self) -> Workforce:
        """Return the machines that play.

        Raises:
            UsageError: the address of a scheduler cannot be used.

        """
        if self.cluster is not None and self.concurrency is not None:
            raise UsageError(
                "--concurrency cannot be combined with --cluster: give --slots to each "
                "`ladder worker` instead"
            )
        if self.cluster is None:
            for name in ("tls_ca_file", "tls_cert", "tls_key"):
                # In `ladder.toml` it may wait for a command that has --cluster.
                if getattr(self, name) is not None and not is_from_config(self.context, name):
                    option = name.replace("_", "-")
                    raise UsageError(
                        f"--{option} is for --cluster, and this machine plays: give --cluster too, "
                        f"or leave it out"
                    )
            from ladder.runs.start import THIS_MACHINE

            given: Workforce | None = None if self.context is None else self.context.obj
            return given or THIS_MACHINE
        from ladder.runs.cluster.endpoint import parse_endpoint
        from ladder.runs.cluster.executor import Cluster

        files = self.tls_ca_file, self.tls_cert, self.tls_key
        return Cluster(parse_endpoint(self.cluster, *files, option="cluster"))

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
        kept: Mapping[str, object] | None = None,
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
            kept: options that are stored otherwise than given: bots by name instead of
                specification.

        Raises:
            UsageError: a value cannot be read, lies out of range, or contradicts another.

        """
        stored = self.stored
        if stored:
            stored |= {**(kept or {}), "boards": self.boards}  # found from the bots, if not given
        self.workforce()  # refuses what contradicts each other
        classes = parse_boards(self.boards or THU.name)
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
            rules=GameRules.of({name: getattr(self, name) for name in RULES}),
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
            options=stored,
        )

    def _openings(self, db: str, boards: "tuple[BoardClass, ...]") -> NamedOpenings | None:
        """Return the openings of the file, those stored from it or shipped. Raises UsageError."""
        if self.openings is None:
            return None
        if self.opening_plies is not None:
            raise UsageError(
                "--openings and --opening-plies contradict each other: give one; `--openings none` "
                f"leaves out those of {CONFIG}"
            )
        file = Path(self.openings)
        if self.openings == BALANCED and not file.exists():
            return shipped_openings(boards)
        if file.exists() or is_missing(db):
            return read_openings(file)
        with open_to_read(db) as store:
            return find_stored_openings(store, self.openings)
