"""Storing the games of people against bots."""

import hashlib
import secrets
from typing import Any

from sqlalchemy import Connection, select

from db.columns import to_json
from db.database import Queries
from db.errors import UnknownRow
from db.models import BOTS, REVISIONS, Bot, Revision
from db.outcomes import insert_finished, read_game_ids
from db.queries.bots import insert_bot
from db.queries.divisions import ensure_division
from db.queries.runs import insert_run
from db.records.bots import HUMAN, NewBot, NewRevision
from db.records.exchange import name_with_hash
from db.records.games import NewPlay
from db.records.launch import Launch
from db.records.run_settings import PlaySettings
from db.records.runs import Conditions, NewRun, RunKind, RunStatus
from engine.board import parse_board
from engine.board_class import known_class
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
    boards = str(known_class(parse_board(new.board)))
    settings = PlaySettings(
        kind=RunKind.PLAY.value,
        bots={bot.name: bot.content_hash, name: HUMAN},
        boards=boards,
        opening_plies=new.opening_plies,
        budget=dict(new.budget),
    )
    conditions = Conditions(boards, new.opening_plies, new.budget)
    run = NewRun(
        RunKind.PLAY,
        rated=False,
        stream=secrets.token_hex(16),  # its own: equal games are stored side by side
        identity=hashlib.sha256(to_json(settings).encode()).hexdigest(),
        settings=settings,
        seed=new.seed,
        division_id=ensure_division(connection, conditions).id,
        target_games=1,
    )
    started, ended = new.game.started, new.game.started + new.game.duration_us / 1e6
    times = {"started_at": started, "ended_at": ended}
    pair: dict[str, Any] = {
        "run_id": insert_run(connection, run, RunStatus.FINISHED, **times),
        "division_id": run.division_id,
        "rated": run.rated,
        "stream": run.stream,
        "number": 0,
        "a_revision_id": first,
        "b_revision_id": second,
        "board": new.board,
        "board_class": boards,
        "opening": format_moves(new.game.moves[: new.opening_plies]),
        "seed": new.seed,
        "stalls": 0,
        "finished_at": ended,
    }
    pair_id = insert_finished(connection, pair, [new.game])
    return read_game_ids(connection, [pair_id])[pair_id][0]


def _ensure_human(connection: Connection) -> tuple[int, str]:
    """Return the revision that stands for people, and its bot's name; store them if missing."""
    query = select(Revision.id, Bot.name).join(BOTS).where(Revision.content_hash == HUMAN)
    known = connection.execute(query).first()
    if known is None:
        is_taken = connection.scalar(select(Bot.id).where(Bot.name == HUMAN)) is not None
        name = name_with_hash(HUMAN, HUMAN) if is_taken else HUMAN
        revision = NewRevision(HUMAN, Launch((), ""), budgets=())
        insert_bot(connection, NewBot(name, HUMAN, HUMAN, revision), is_imported=True)
        known = connection.execute(query).one()
    return known.id, known.name
