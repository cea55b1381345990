"""`ladder bench`: how fast the harness and the players are on this machine."""

from typing import Annotated

from ladder.cli.help import CommandGroup
from ladder.cli.options import MOST_GAMES, Workers, number, whole
from ladder.cli.output import print_result, print_table_or_json
from ladder.cli.parsing import parse_boards, parse_names
from ladder.errors import UsageError
from ladder.registry.specs.start_command import builtin_launch, compile_players
from ladder.tools.bench.harness import bench_harness
from ladder.tools.bench.search import bench_search, choose_players
from reports.bench import harness_document, harness_text, print_search, search_document

app = CommandGroup(help="Measure the speed of the harness and of the players.")


@app.command("harness")
def harness(
    games: Annotated[int, whole(4, MOST_GAMES)] = 2000,
    concurrency: Workers = 1,
    json: bool = False,
) -> int:
    """Measure how many games per second the harness plays.

    The bots answer at once, and every pair is stored in a database file, so that the time is that
    of the harness alone.

    Options:
      --games N: Number of games, of 20 plies each.
      --concurrency N: Pairs of games to play at the same time.

    Example:
      ladder bench harness --games 2000
    """
    result = bench_harness(games=games, concurrency=concurrency)
    return print_result(result, harness_document, harness_text, json=json)


@app.command("search")
def search(
    bots: str = "*",
    boards: str = "11x11@5,5",
    seconds: Annotated[float, number(0.01, 600, with_low=True)] = 2.0,
    json: bool = False,
) -> int:
    """Measure how many simulations or nodes per second the built-in players search.

    Each player makes one long first move on an empty board, one player after another.

    Options:
      --bots LIST: Built-in players: names or patterns, separated by commas. [all]
      --seconds S: Time of the measured move, in seconds.

    Example:
      ladder bench search --bots v17 --boards 11x11@5,5
    """
    players = choose_players(parse_names(bots))
    specific = []
    for entry in parse_boards(boards):
        if entry.single is None:
            raise UsageError(f"--boards: {entry} is a set of boards: name one, such as 11x11@5,5")
        specific.append(entry.single)
    compile_players(map(builtin_launch, players))
    speeds = list(bench_search(players, specific, seconds=seconds))
    print_table_or_json(speeds, search_document, print_search, json=json)
    return 0
