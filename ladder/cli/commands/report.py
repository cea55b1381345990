"""`ladder report`: the rating list of a division."""

from ladder.cli.database import open_to_read
from ladder.cli.options import DEFAULT_DATABASE, Database
from ladder.cli.output import show
from ladder.cli.report_modes import REPORTS, Mode, ReportOptions
from ladder.errors import ExitCode
from ladder.results.standings.division import division_or_latest


def report(
    *,
    options: ReportOptions,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Print the rating list, and how far to trust it.

    A division holds the games under the same conditions: boards, openings and time or work per
    move. Ratings are Elo by maximum likelihood with 95 % errors. A bot that won or lost every game
    has a bound, such as "at least 1480".

    Exit codes: 0 done; 2 bad input; 3 with --regressions; 4 with --fail-undecided.

    Arguments:
      A B C...: Registered bots to compare; needs --compare.

    Instead of the rating list:
      --compare: Compare the named bots side by side, with a summary.
      --against NAME: List the opponents of one bot, its score against each, and how many it beats.
      --mistakes: Print the mistakes of each bot that `ladder analyze` has found.
      --regressions: Print the bots that are worse than the bot that they are based on, beyond the
        95 % error; exit code 3 if there is one.
      --threshold ELO: With --regressions: Elo loss that is accepted.
      --fail-undecided: With --regressions: exit code 4 if a bot may be worse and none is for
        certain.
      --history NAME: List the versions that a bot is based on and those that are based on it, with
        rating and change.

    Which games:
      --division NAME: Division to report: its number, its boards, its label or the beginning of
        one. [that of the latest run]
      --retired: Show retired bots too.
      --anchor NAME=ELO: Fixed rating of a bot, once for each; the other ratings follow.

    Database and output:
      --pairs: Add the results of every two bots that met.
      --columns LIST: Columns of the rating list in their order, by their keys in JSON, separated by
        commas, such as name,elo,max_move_ms. [those of each format]
      --format: Format of the result.
      --html FILE: Write the rating list, with charts and games, as an HTML page instead: one file
        that needs no network.
      --games N: With --html: most games to replay in the page; forfeits, upsets and short losses
        first.

    Example:
      ladder report --compare v4 v3
    """
    options.check()
    with open_to_read(db) as store:
        division = division_or_latest(store, options.division)
        made = REPORTS[options.mode].make(store, division, options)
        if made is not None:
            show(made, options.form, options.output)
    if made is None or options.mode is not Mode.REGRESSIONS:
        return ExitCode.DONE
    is_undecided = options.fail_undecided and made.document["undecided"]
    if made.document["regressions"]:
        return ExitCode.REGRESSION
    return ExitCode.INCONCLUSIVE if is_undecided else ExitCode.DONE
