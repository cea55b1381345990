"""`ladder perft`: counts move sequences, to check the rules and the kernels."""

from typing import TYPE_CHECKING, Annotated

from engine.board import Board
from ladder.cli.options import whole
from ladder.cli.output import print_out
from ladder.cli.parsing import parse_one_board
from ladder.match.process.worker_pool import call_in_subprocess
from reports.layout.format import to_json

if TYPE_CHECKING:
    from engine.perft import Perft


def perft(
    board: str,
    depth: Annotated[int, whole(0, 12)],
    json: bool = False,
) -> int:
    """Count the legal move sequences of each length.

    They check another program's rules. A won game is not continued.

    Arguments:
      BOARD: Board: standard (6x7), or ROWSxCOLUMNS such as 10x11@3,4.
      DEPTH: Longest sequence to count, in plies, 0 to 12.

    Example:
      ladder perft 6x7 6
    """
    specification = parse_one_board(board)
    result = call_in_subprocess(_count, specification, depth)
    if json:
        document = {"board": str(specification), "counts": result.counts, "wins": result.wins}
        print_out(to_json(document))
        return 0
    print_out(f"{'ply':>3} {'sequences':>15} {'of them won':>15}")
    for ply, (leaves, wins) in enumerate(zip(result.counts, result.wins, strict=True)):
        print_out(f"{ply:>3} {leaves:>15,} {wins:>15,}")
    return 0


def _count(board: Board, depth: int) -> "Perft":
    from engine.perft import perft  # loads the compiler

    return perft(board, depth)
