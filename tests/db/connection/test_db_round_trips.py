"""The number of round trips to a server, which counts if it is far away."""

import contextlib
import select
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random

import msgspec
import pytest

from db.records.pairs import PairRecord
from db.store import Store
from tests.db.making import add_bots, elo, maker, new_run, played, to_plan
from tests.support.postgresql import Server, name_of, shared_server, why_none

pytestmark = pytest.mark.skipif(why_none() is not None, reason=str(why_none()))
SOCKET = ".s.PGSQL.5432"


class Way:
    """A proxy to a server that counts how often the client sends after an answer.

    Attributes:
        turns: the count so far.

    """

    def __init__(self, server: Server, folder: Path) -> None:
        self.turns = 0
        self._door = str(server.folder / SOCKET)
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(folder / SOCKET))
        self._listening.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Accept no more connections."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server:
            server.connect(self._door)
            # The client may say goodbye to a server that has dropped the database and ended the
            # session. A client that still needed an answer finds the connection closed.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                self._pass_on(client, server)

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        """Forward data until either side closes."""
        is_answered = True
        while True:
            for ready in select.select([client, server], [], [])[0]:
                data = ready.recv(1 << 16)
                if not data:
                    return
                if ready is client:
                    self.turns += is_answered
                    server.sendall(data)
                else:
                    client.sendall(data)
                is_answered = ready is server


@pytest.fixture
def way(open_folder: Path) -> Iterator[Way]:
    made = Way(shared_server(), open_folder)
    yield made
    made.close()


def silent(record: PairRecord) -> PairRecord:
    """Return a record without last output, whose row needs the id of its game."""
    games = tuple(msgspec.structs.replace(game, last_output=None) for game in record.games)
    return msgspec.structs.replace(record, games=games)


@pytest.mark.slow
@pytest.mark.parametrize("together", [1, 10])
def test_pairs_are_stored_with_two_round_trips(way: Way, open_folder: Path, together: int) -> None:
    """Any number of pairs in a transaction takes one round trip for reading, one for the commit."""
    server = shared_server()
    with server.database() as url:
        far = f"postgresql+psycopg://{server.user}@/{name_of(url)}?host={open_folder}"
        with Store.open(far) as store:
            run, revisions = new_run(store), add_bots(store)
            rows = store.pairs.plan(run.id, 10 * together, maker(revisions))
            done = [(to_plan(row), silent(played(row, Random(row.number)))) for row in rows]
            spent = []
            for place in range(0, len(done), together):
                before = way.turns
                store.pairs.finish_all(done[place : place + together], elo)
                spent.append(way.turns - before)
            # The driver prepares a statement when it comes again and again.
            assert spent[-3:] == [2, 2, 2], spent
            assert store.aggregate.rebuild(elo) == []
