"""Files of a bot that change while it plays: no game of another content may count."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.protocol import Budget
from db.records.pairs import Entrant, PairPlan, PairRecord
from ladder.errors import BotChanged
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from ladder.match.specs.spec import read_spec
from ladder.match.specs.start_command import builtin_launch, make_entrant
from tests.support.hosted import BOT, LEGAL, write
from tests.support.unconfined import UNCONFINED

BUDGET = Budget(time_ms=500)


@pytest.fixture
def pool() -> Iterator[BotPool]:
    pool = BotPool(UNCONFINED)
    yield pool
    pool.close()


@pytest.fixture
def bot(tmp_path: Path) -> Entrant:
    write(tmp_path, rules=LEGAL, bot=BOT.format(module="rules"))
    return entrant(tmp_path)


def entrant(folder: Path) -> Entrant:
    resolved = read_spec("python:bot.py:Bot", folder)
    return make_entrant(
        resolved.launch, revision=1, name="bot", budget=BUDGET, content=resolved.states
    )


def pair(bot: Entrant, pool: BotPool) -> PairRecord:
    random = make_entrant(builtin_launch("random"), revision=2, name="random", budget=BUDGET)
    plan = PairPlan(0, 0, bot, random, "4x5", "4x5", (), 1, margin_ms=60_000)
    return play_pair(plan, pool)


@pytest.mark.slow
def test_an_edit_between_games_stops_the_bot_s_pairs(
    bot: Entrant, pool: BotPool, tmp_path: Path
) -> None:
    """A process with the old files does not play on, for it may load changed ones."""
    assert len(pair(bot, pool).games) == 2
    (tmp_path / "rules.py").write_text(LEGAL + "# better\n")
    record = pair(bot, pool)
    assert (record.games, record.changed) == ((), (1,))
    assert record.abort_reason == "rules.py changed"


def test_a_changed_bot_is_not_started(bot: Entrant, pool: BotPool, tmp_path: Path) -> None:
    """A new process would play as another content than the registered one."""
    (tmp_path / "rules.py").unlink()
    with pytest.raises(BotChanged, match=r"rules\.py gone.*`ladder bots add "):
        pool.acquire(bot.start)


@pytest.mark.slow
def test_a_crash_after_an_edit_is_no_forfeit(pool: BotPool, tmp_path: Path) -> None:
    """A crash of changed files is not charged to the registered content."""
    edit = "open('rules.py', 'a').write('# edited'); raise SystemExit(1)"
    write(tmp_path, rules=LEGAL, bot=BOT.format(module="rules").replace("return legal", edit))
    bot = entrant(tmp_path)
    record = pair(bot, pool)
    assert (record.games, record.changed) == ((), (1,))


@pytest.mark.slow
def test_the_same_content_written_again_is_no_change(
    bot: Entrant, pool: BotPool, tmp_path: Path
) -> None:
    """Saving a file without an edit, or a checkout and its return, does not stop a run."""
    text = (tmp_path / "rules.py").read_text()
    (tmp_path / "rules.py").write_text("other\n")
    assert pair(bot, pool).changed == (1,)
    (tmp_path / "rules.py").write_text(text)
    (tmp_path / "notes.txt").write_text("a file that came later is not the bot's")
    assert len(pair(bot, pool).games) == 2
