"""`ladder games`: stored games by who played, how they ended, and when."""

from ladder.cli.database import open_to_read
from ladder.cli.options import DEFAULT_DATABASE, BotName, Database, Games, Key
from ladder.cli.output import print_table_or_json
from ladder.cli.parsing import parse_plies
from ladder.errors import UsageError
from ladder.moments import parse_since
from ladder.results.conditions import FORFEIT, BotResult, GameFilter, Mover
from reports.lists import games_document, print_games


def games(
    bot: BotName | None = None,
    opponent: BotName | None = None,
    side: Mover | None = None,
    won: bool = False,
    lost: bool = False,
    drawn: bool = False,
    forfeit: bool = False,
    ending: str | None = None,
    plies: str | None = None,
    upsets: bool = False,
    board: str | None = None,
    division: str | None = None,
    run: Key | None = None,
    since: str | None = None,
    limit: Games = 20,
    db: Database = DEFAULT_DATABASE,
    json: bool = False,
) -> int:
    """List stored games with their numbers, newest first.

    Only games that meet all given conditions are listed; `ladder replay NUMBER` shows one of them.

    Who played:
      --bot A: Only games of bot A.
      --opponent B: With --bot: only games against bot B.
      --side: With --bot: only games in which A moved first, or second.

    How the game went:
      --won: With --bot: only games that A won.
      --lost: With --bot: only games that A lost.
      --drawn: Only drawn games.
      --forfeit: Only games that a bot lost by failing; short for --ending forfeit. With --bot and
        --lost: only failures of A.
      --ending WORD: Only games with this ending: forfeit (of any kind), {endings}.
      --plies MIN..MAX: Only games of this length, the opening included: 20..30, 20.., ..30 or 20.
      --upsets: Only wins of a bot whose expected score was a quarter of a point or less.

    Which games:
      --board BOARD: Only games on this board, or on boards of this class, such as thu.
      --division NAME: Only games of this division: its number, its label or the beginning of one.
      --run R: Only games of this run, by its number in `ladder runs`.

    Database and output:
      --limit N: Most games to list.

    Example:
      ladder games --bot mybot --lost --limit 5
    """
    results = {BotResult.WON: won, BotResult.LOST: lost, BotResult.DRAWN: drawn}
    asked = [result for result, wanted in results.items() if wanted]
    if len(asked) > 1:
        raise UsageError("--won, --lost and --drawn contradict each other: give one of them")
    if bot is None and (opponent is not None or side is not None or won or lost):
        raise UsageError("--opponent, --side, --won and --lost need a bot: name it with --bot")
    if forfeit and ending not in (None, FORFEIT):
        raise UsageError("--forfeit and --ending contradict each other: give one of them")
    shortest, longest = (None, None) if plies is None else parse_plies(plies)
    conditions = GameFilter(
        bot=bot,
        opponent=opponent,
        result=asked[0] if asked else None,
        side=side,
        ending=FORFEIT if forfeit else ending,
        board=board,
        shortest=shortest,
        longest=longest,
        run=run,
        division=division,
        since=None if since is None else parse_since(since),
        upsets=upsets,
    )
    with open_to_read(db) as store:
        found = store.games.newest(conditions.query(store), limit)
    print_table_or_json(found, games_document, print_games, json=json)
    return 0
