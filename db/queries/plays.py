"""Storing the games of people against bots."""

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from db.columns import insert_row, to_json
from db.database import Queries
from db.errors import UnknownRow
from db.models import BOTS, GAMES, PAIRS, REVISIONS, RUNS, Bot, Revision
from db.outcomes import game_values, outcome_of
from db.queries.bots import insert_bot, insert_revision
from db.queries.divisions import ensure_division
from db.queries.runs import insert_run_bots
from db.records.bots import HUMAN, NewBot, NewRevision
from db.records.exchange import name_with_hash
from db.records.games import NewPlay
from db.records.launch import Launch
from db.records.pairs import PairStatus
from db.records.runs import Conditions, RunKind, RunStatus
from engine.board import BoardClass, parse_board
from engine.opening_set import is_of_class
from engine.position import format_moves


class Plays(Queries):
    """The games of people against bots, each in an unrated run of its own with one game."""

    def add(self, new: NewPlay) -> int:
        """Store a finished game; return its id. Raises UnknownRow if its bot was deleted."""
        with self._database.writing(repeatable=False) as connection:
            return insert_play(connection, new)


def insert_play(connection: Connection, new: NewPlay) -> int:
    """Store a finished game; return its id. Raises UnknownRow if its bot was deleted."""
    bot = connection.execute(
        select(Bot.name, Revision.content_hash).join(REVISIONS).where(Revision.id == new.revision)
    ).first()
    if bot is None:
        raise UnknownRow(
            "the bot of this game was deleted while it played, so the game cannot be stored"
        )
    human, name = _ensure_human(connection)
    first, second = (new.revision, human) if new.bot_side == 0 else (human, new.revision)
    run = _insert_run(connection, new, {bot.name: bot.content_hash, name: HUMAN})
    pair = {
        "run_id": run["id"],
        "division_id": run["division_id"],
        "rated": False,
        "stream": run["stream"],
        "number": 0,
        "a_revision_id": first,
        "b_revision_id": second,
        "board": new.board,
        "board_class": run["boards"],
        "opening": format_moves(new.game.moves[: new.opening_plies]),
        "seed": new.seed,
        "status": PairStatus.FINISHED,
        "aborts": 0,
        "finished_at": run["ended_at"],
    }
    game = game_values(pair, new.game)
    pair_id = insert_row(connection, PAIRS, {**pair, **outcome_of([game])})
    return insert_row(connection, GAMES, {**game, "pair_id": pair_id})


def _insert_run(connection: Connection, new: NewPlay, bots: Mapping[str, str]) -> dict[str, Any]:
    """Store the run of a game; return its columns."""
    board, thu = parse_board(new.board), BoardClass(None)
    boards = str(thu if is_of_class(board, thu) else BoardClass(board))
    conditions = Conditions(boards, new.opening_plies, new.budget)
    settings = {
        "kind": RunKind.PLAY.value,
        "bots": dict(bots),
        "boards": boards,
        "opening_plies": new.opening_plies,
        "budget": dict(new.budget),
    }
    run: dict[str, Any] = {
        "kind": RunKind.PLAY,
        "rated": False,
        "stream": secrets.token_hex(16),  # its own: equal games are stored side by side
        "identity": hashlib.sha256(to_json(settings).encode()).hexdigest(),
        "settings": settings,
        "seed": new.seed,
        "division_id": ensure_division(connection, conditions).id,
        "target_games": 1,
        "status": RunStatus.FINISHED,
        "started_at": new.game.started,
        "ended_at": new.game.started + new.game.duration_us / 1e6,
        "note": "",
    }
    run["id"] = insert_row(connection, RUNS, run)
    insert_run_bots(connection, run["id"], settings)
    return {**run, "boards": boards}


def _ensure_human(connection: Connection) -> tuple[int, str]:
    """Return the revision that stands for people, and its bot's name; store them if missing."""
    query = select(Revision.id, Bot.name).join(BOTS).where(Revision.content_hash == HUMAN)
    known = connection.execute(query).first()
    if known is not None:
        return known.id, known.name
    is_taken = connection.execute(select(Bot.id).where(Bot.name == HUMAN)).first() is not None
    name = name_with_hash(HUMAN, HUMAN) if is_taken else HUMAN
    new = NewBot(name, HUMAN, HUMAN, NewRevision(HUMAN, Launch((), ""), budgets=()))
    bot = insert_bot(connection, new, is_retired=True)
    return insert_revision(connection, bot, new.revision, number=1, recency=1), name
