"""`ladder analyze`: what bots get wrong, position by position."""

import typer

from db.records.runs import DivisionRow
from db.store import Store
from ladder.cli.database import open_store
from ladder.cli.options import DEFAULT_DATABASE, BotNames, Database, Games, Hours, Work
from ladder.cli.output import print_error, print_table_or_json, stderr_console
from ladder.cli.parsing import parse_names
from ladder.cli.playing import plan_and_play
from ladder.errors import ExitCode
from ladder.look_ahead import lower_priority
from ladder.match.process.cpus import allowed_cpus
from ladder.names import counted
from ladder.results.analysis.division import read_mistakes
from ladder.results.analysis.session import analyse
from ladder.results.standings.division import division_or_latest
from ladder.signals import current_stop
from reports.analyze import analysis_document, analysis_watcher
from reports.layout.terminal import print_listing
from reports.report.mistakes import mistakes_listing


def analyze(
    context: typer.Context,
    *,
    division: str | None = None,
    bots: BotNames | None = None,
    games: Games | None = None,
    nodes: Work | None = None,
    hours: Hours | None = None,
    forget: bool = False,
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
) -> int:
    """Count the mistakes of each bot in stored games.

    Their positions are solved. Solving begins with the newest game and uses all CPUs at idle
    priority, so that runs are not disturbed. Results are stored: Ctrl-C (exit code 130) loses
    nothing, and the same command continues. At the end the mistakes are printed, as `ladder report
    --mistakes` does at any time.

    Options:
      --division NAME: Division whose games are solved: its number, its label or the beginning of
        one. Games outside the rating list, as of matches and gates, are then solved too. [the rated
        games of the latest run's division]
      --games N: Only the newest N games. [all]
      --nodes N: Most positions that the solver searches for one position of a game. [by board and
        empty cells]
      --hours H: Stop after H hours.
      --forget: Delete all results of the analysis from the database.

    Example:
      ladder analyze --bots v12,v4 --nodes 1000000
    """
    names = () if bots is None else tuple(parse_names(bots))

    def plan(store: Store) -> DivisionRow | None:
        return None if forget else division_or_latest(store, division)

    def play(store: Store, row: DivisionRow | None) -> int:
        if row is None:
            return _forget(store)
        lower_priority()
        with current_stop().defer():
            state = analyse(
                store,
                row,
                bots=names,
                games=games,
                rated_only=division is None,
                nodes=nodes,
                seconds=None if hours is None else hours * 3600,
                threads=allowed_cpus(),
                is_stopped=current_stop().is_requested,
                watcher=analysis_watcher(stderr_console()),
            )
            made = read_mistakes(store, row)
        document = analysis_document(state, made)
        print_table_or_json(mistakes_listing(made), lambda _: document, print_listing, json=json)
        return ExitCode.STOPPED if current_stop().is_requested() else ExitCode.DONE

    return plan_and_play(open_store(db, create=False), plan, play, context=context)


def _forget(store: Store) -> int:
    """Delete all results of the analysis."""
    verdicts, positions = store.analysis.delete_all()
    of_games, others = counted(verdicts, "game"), counted(positions, "position")
    print_error(f"deleted the analysis of {of_games} and {others}")
    return ExitCode.DONE
