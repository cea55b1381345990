"""A run whose connection to the server is lost in its commits."""

import threading
import time
from collections import Counter
from random import Random
from typing import Any

from sqlalchemy import Connection, event

from db.store import Store
from tests.db.making import add_bots, maker, new_run, played, to_plan
from tests.support.postgresql import Server

PAIRS = 4
"""Pairs that are planned, and stored, in one transaction."""


def lose_commits(server: Server, url: str, losses: int, *, restarts: int = 0) -> Counter[str]:
    """Plan and store pairs while commits are lost; check that each is planned and stored once.

    A third of the commits is lost before the server gets it, a third after it was done, and a third
    is cut off at a random moment.

    Args:
        server: the server.
        url: its empty database.
        losses: number of lost commits.
        restarts: number of them in which the whole server is killed and started again.

    Returns:
        The number of lost commits by the kind of loss, and the number of stored pairs.

    """
    counts: Counter[str] = Counter()
    random = Random(losses)
    is_armed = False

    def lose(connection: Connection) -> None:
        nonlocal is_armed
        if not is_armed:
            return
        is_armed = False
        driver: Any = connection.connection.driver_connection
        kind = "killed server" if counts["killed server"] < restarts else ""
        kind = kind or random.choice(("before", "after", "at a random moment"))
        counts[kind] += 1
        if kind == "killed server":
            server.restart("immediate")
        elif kind == "at a random moment":
            delay = random.uniform(0, 0.002)
            threading.Thread(target=_cut_later, args=(server, url, delay), daemon=True).start()
        else:
            if kind == "after":
                driver.commit()
            driver.close()

    with Store.open(url) as store:
        event.listen(store.engine, "commit", lose)
        run, revisions = new_run(store), add_bots(store)
        expected = []
        while sum(counts.values()) < losses:
            is_armed = True
            rows = store.pairs.plan(run.id, PAIRS, maker(revisions))
            is_armed = True
            done = [(to_plan(row), played(row, random)) for row in rows]
            results = store.pairs.finish_all(done)
            assert all(results)
            expected += [game for games in results for game in games or ()]
        pairs = len(expected) // 2
        is_armed = False
        assert [game.id for game in store.games.stream()] == expected
        assert [pair.number for pair in store.pairs.of_run(run.id)] == list(range(pairs))
        assert store.pairs.planned(run.id) == []
        assert store.audit.integrity() == []
        assert list(store.audit.outcomes()) == []
        assert sum(row.record.pairs for row in store.aggregate.of_run(run.id)) == pairs
    return counts + Counter(pairs=pairs)


def _cut_later(server: Server, url: str, delay_s: float) -> None:
    time.sleep(delay_s)
    server.cut(url)
