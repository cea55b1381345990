"""docs/first-bot.md, followed word for word."""

import re
import shlex

import pytest

from tests.end_to_end.conftest import ROOT, Ladder

PAGE = (ROOT / "docs" / "first-bot.md").read_text()


@pytest.mark.very_slow
def test_the_page_leads_to_a_rated_bot(ladder: Ladder) -> None:
    """Its files and commands, but for their sizes, must make two bots better than random."""
    folder = ladder.folder / "mybot"
    first, better = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    commands = [
        shlex.split(line[2:])
        for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
        for line in block.splitlines()
    ]
    assert commands[:2] == [["mkdir", "mybot"], ["cd", "mybot"]]
    folder.mkdir()
    ladder.folder = folder
    (folder / "mybot.py").write_text(first)
    outputs = []
    for words in commands[2:]:
        assert words[0] == "ladder"
        if "mybot2" in words:
            (folder / "mybot.py").write_text(better)
        # Fewer games, and work in place of time: a loaded machine must not cause forfeits.
        shorter = {"--time": "--simulations", "20ms": "50", "100": "60"}
        quick = [shorter.get(word, word) for word in words[1:]]
        done = ladder(*quick, timeout=300)
        assert done.code == 0, done.err
        outputs.append(done.out)
    assert "mybot is registered" in outputs[0]
    report = ladder("report", "--json").document
    elo = {bot["name"]: bot["elo"] for bot in report["bots"]}
    assert min(elo["mybot"], elo["mybot2"]) > elo["random"]
    assert all(sum(bot["forfeits"].values()) == 0 for bot in report["bots"])
