"""Texts that begin with a byte order mark, as some editors save them."""

import codecs
from pathlib import Path

from ladder.cli.app import parser
from ladder.cli.config import read_defaults
from ladder.experiments.suite.puzzle import read_suite
from ladder.openings.openings_file import read_openings
from ladder.results.exchange.jsonl import open_games
from ladder.web.security import read_password


def test_a_byte_order_mark_is_no_part_of_a_text(tmp_path: Path) -> None:
    """Defaults, openings, games and a password are read behind it."""

    def written(name: str, text: str) -> Path:
        file = tmp_path / name
        file.write_bytes(codecs.BOM_UTF8 + text.encode())
        file.chmod(0o600)
        return file

    written("ladder.toml", "[run]\ngames = 4\n")
    assert read_defaults(parser(), tmp_path)["run"]["games"] == 4
    assert len(read_openings(written("openings.txt", "6x7 33\n")).set.openings) == 1
    puzzle = '{"board":"6x7","moves":"010101","answer":0,"value":"win","distance":1,"theme":"t"}'
    assert len(read_suite(str(written("suite.jsonl", puzzle))).puzzles) == 1
    with open_games(written("games.jsonl", "\n")) as games:
        assert list(games) == []
    assert read_password(written("password", "correct horse\n")) == "correct horse"
