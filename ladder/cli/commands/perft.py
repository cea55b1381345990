"""`ladder perft`: counts move sequences, to check the rules and the kernels."""

from typing import Annotated

from engine.board import parse_board
from engine.perft import perft as count
from ladder.cli.options import whole
from ladder.cli.output import print_out
from ladder.match.process.worker_pool import call_in_subprocess
from reports.layout.format import to_json


def perft(
    board: str,
    depth: Annotated[int, whole(0, 12)],
    json: bool = False,
) -> int:
    """Count the legal move sequences of each length, to check another program's rules.

    A won game is not continued.

    Arguments:
      BOARD: Board: standard (6x7), or ROWSxCOLUMNS such as 10x11@3,4.
      DEPTH: Longest sequence to count, in plies, 0 to 12.

    Example:
      ladder perft 6x7 6
    """
    specification = parse_board(board)
    result = call_in_subprocess(count, specification, depth)
    if json:
        document = {"board": str(specification), "counts": result.counts, "wins": result.wins}
        print_out(to_json(document))
        return 0
    print_out(f"{'ply':>3} {'sequences':>15} {'of them won':>15}")
    for ply, (leaves, wins) in enumerate(zip(result.counts, result.wins, strict=True)):
        print_out(f"{ply:>3} {leaves:>15,} {wins:>15,}")
    return 0
