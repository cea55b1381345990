"""Bots and finished pairs for judges, made from cells of a 3x3 table."""

from db.records.bots import BotRow, RevisionRow
from db.records.launch import Launch
from db.records.pairs import PlayedPair
from engine.result import Result, Termination

RESULTS = (Result.LOSS, Result.DRAW, Result.WIN)


def bot_row(key: int, name: str = "", boards: tuple[str, ...] | None = None) -> BotRow:
    """Return a registered bot, called ``p`` and its key by default."""
    name = name or f"p{key}"
    revision = RevisionRow(
        id=key,
        bot_id=key,
        number=1,
        content_hash=str(key),
        launch=Launch(command=(), folder="", player=name),
        budgets=(),
        boards=boards,
        files={},
        created_at=0.0,
    )
    return BotRow(
        id=key,
        name=name,
        family="",
        spec="",
        based_on=None,
        change="",
        created_at=0.0,
        retired_at=None,
        revision=revision,
    )


def pair_of(
    number: int,
    a: int,
    b: int,
    cell: int,
    content: int | None = None,
    ends: tuple[Termination, Termination] = (Termination.FOUR_IN_A_ROW,) * 2,
) -> PlayedPair:
    """Return a pair of a and b, with A's results in both games by the cell (0 to 8)."""
    return PlayedPair(
        number=number,
        a_revision=a,
        b_revision=b,
        board_class="any",
        results=(RESULTS[cell // 3], RESULTS[cell % 3]),
        terminations=ends,
        setup=("any", "", number),
        content=number if content is None else content,
        duration_us=1_500_000,
    )
