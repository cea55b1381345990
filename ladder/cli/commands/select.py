"""`ladder select`: chooses the best of several bots."""

from pathlib import Path
from typing import Annotated

from db.records.runs import RunKind
from db.store import Store
from ladder.cli.completion import bot_names
from ladder.cli.html_file import check_html, write_finding
from ladder.cli.options import (
    DEFAULT_DATABASE,
    BotName,
    Confidence,
    Database,
    Elo,
    GamesFromTwo,
    Takes,
)
from ladder.cli.output import print_finding_or_json
from ladder.cli.playing import experiment_context, open_to_play, plan_and_play
from ladder.cli.run_options import RunOptions
from ladder.cli.stored_specs import report_changed_origins
from ladder.experiments.select.field import SelectQuestion
from ladder.experiments.select.session import field_names, play_selection
from ladder.registry.entrants import find_bot
from ladder.runs.lineup import Lineup, line_up
from ladder.runs.pairings import ROUND_ROBIN, Pairing
from reports.findings.select import select_finding


def select(
    *,
    candidates: Annotated[list[str], Takes(autocompletion=bot_names)],
    against: BotName | None = None,
    indifference: Elo = 20.0,
    confidence: Confidence = 0.95,
    max_games: GamesFromTwo = 20_000,
    options: RunOptions,
    html: Path | None = None,
    force: bool = False,
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
) -> int:
    """Choose the best of several bots with few games.

    All bots meet each other. A bot that cannot be the best any more stops playing, until one is
    left. Other bots may be better than the choice by less than --indifference. The games do not
    count in the rating list. An interrupted selection is resumed by the same command.

    Exit codes: 0 chosen; 4 not decided; 5 invalid, because the baseline or most bots fail or the
    machine stalls; 2 bad input; 130 stopped by Ctrl-C, with all pairs stored.

    Arguments:
      CANDIDATE...: Registered bots to choose from.

    The test:
      --against BASELINE: Registered bot that the choice must beat; it plays like a candidate.
      --indifference ELO: Smallest difference in Elo that matters.

    Example:
      ladder select idea1 idea2 idea3 --against v12 --indifference 15
    """
    question = SelectQuestion(indifference=indifference, confidence=confidence, max_games=max_games)
    names = field_names(candidates, against)
    options = options.for_bots(db, names)
    settings = options.settings(
        db=db,
        kind=RunKind.SELECT,
        bots=names,
        pairing=Pairing(ROUND_ROBIN),
        games=question.games,
        rated=False,
    )
    check_html(html, force=force)

    def plan(store: Store) -> Lineup:
        return line_up(store, settings, [find_bot(store, name) for name in names])

    def play(store: Store, lineup: Lineup) -> int:
        report_changed_origins(store, lineup.bots)
        context = experiment_context(store, options)
        selected = play_selection(context, lineup, against, question)
        finding = select_finding(selected)
        write_finding(None, finding, selected, html)
        print_finding_or_json(finding, json=json)
        return selected.exit_code

    return plan_and_play(open_to_play(db, plan), plan, play, context=options.context)
