"""The form of an experiment has the commands of the queue with their options and defaults."""

import pytest

from ladder.cli.commands.queue.experiment import COMMANDS
from ladder.cli.commands.queue.form import FILES, QueueForms
from ladder.errors import UsageError
from ladder.queue.form import Field
from ladder.web.errors import Refused
from ladder.web.queue.form import Form, check_form
from tests.ladder.web.conftest import FORMS

HARMLESS = {
    "", "N", "K", "S", "H", "A", "B", "P", "ELO", "MIB", "LIST", "KIND", "NAME", "[PLIES]", "T,...",
    "N,...", "50ms", "60s", "100ms|2s", "10s+100ms", "20ms:500,100ms:2000", "NAME=LOW..HIGH[:int]",
    "CANDIDATE", "CANDIDATE...", "BASELINE", "BASELINE[,B2]", "BOT...",
}  # fmt: skip
"""Metavars of values that name no file and no program."""


def fields_of(command: str) -> dict[str, Field]:
    """Return the fields of a command by name."""
    return {each.name: each for each in FORMS.commands[command].fields}


def test_each_command_of_the_queue_has_a_form() -> None:
    """The form offers what `ladder queue add` takes, without what it refuses."""
    assert tuple(FORMS.commands) == COMMANDS
    for command in COMMANDS:
        assert not set(fields_of(command)) & {"db", "cluster", "html", "junit", "resume", "note"}
    assert fields_of("gate")["stages"].metavar == "20ms:500,100ms:2000"
    assert set(fields_of("suite run")) >= {"BOT...", "FILE", "time", "baseline"}


def test_each_field_is_read_from_its_parameter() -> None:
    """Defaults, choices and kinds of fields are those of the command line."""
    gate = fields_of("gate")
    assert (gate["max-drop"].default, fields_of("tune")["max-drop"].default) == ("20", "10")
    assert gate["model"].choices == ("normalized", "logistic")
    assert gate["restart"].choices == ("game", "pair", "never")
    assert gate["restart"].default == ""
    assert (gate["pin"].choices, gate["pin"].negative) == (("yes", "no"), "--no-pin")
    assert gate["CANDIDATE"].is_required
    assert gate["against"].has_bots
    assert "0 on thu, 4 on other boards" in gate["opening-plies"].help
    assert fields_of("tune")["param"].is_many


def test_each_metavar_is_known_to_name_a_file_or_not() -> None:
    """A new kind of value is not offered to visitors before it is known what it may name."""
    found = {each.metavar for command in FORMS.commands.values() for each in command.fields}
    assert found <= HARMLESS | FILES


@pytest.mark.parametrize(
    ("form", "words"),
    [
        (
            Form(command="gate", arguments=["v2"], options={"against": "v1,v3", "rated": "yes"}),
            "gate --against=v1,v3 --rated -- v2",
        ),
        (
            Form(command="gate", bots=["v2"], against=["v1"], amount=50, kind="nodes"),
            "gate --against=v1 --nodes=50 -- v2",
        ),
        (Form(command="match", bots=["v2"], against=["v1"]), "match -- v2 v1"),
        (Form(command="run", bots=["v2", "v1"], amount=20), "run --bots=v2,v1 --time=20ms --"),
        (Form(command="run", options={"pin": "no", "seed": " "}), "run --no-pin --"),
        (
            Form(command="suite run", arguments=["v1", "v2", "standard"]),
            "suite run -- v1 v2 standard",
        ),
        (
            Form(
                command="tune",
                arguments=["builtin:v18"],
                options={"param": ["c=0..1", "", "d=2..3"]},
            ),
            "tune --param=c=0..1 --param=d=2..3 -- builtin:v18",
        ),
    ],
)
def test_a_form_makes_a_command_line(form: Form, words: str) -> None:
    """Each value is joined to its option, and arguments stand last."""
    made = check_form(form, FORMS.commands)
    assert " ".join(made.words) == words
    assert made.foreign == ""


@pytest.mark.parametrize(
    ("form", "foreign"),
    [
        (Form(command="tune", arguments=["exec:./mybot"]), "exec:./mybot"),
        (Form(command="tune", arguments=["builtin:v18"], options={"python": "python3"}), "python3"),
        (Form(command="suite run", arguments=["v1", "/etc/passwd"]), "/etc/passwd"),
        (Form(command="gate", options={"openings": "book.txt"}), "book.txt"),
        (Form(command="gate", options={"openings": "balanced"}), ""),
        (Form(command="gate", options={"sandbox": "none"}), "none"),
        (Form(command="bisect", options={"good": "v1.0"}), "v1.0"),
    ],
)
def test_files_and_programs_are_found(form: Form, foreign: str) -> None:
    """What does not come with the program is a file or a program of the server."""
    assert check_form(form, FORMS.commands).foreign == foreign


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        (Form(command="gate", options={"max-drop": ["1", "2"]}), "given once"),
        (Form(command="gate", options={"rated": "perhaps"}), "yes or no"),
        (Form(command="run", bots=["--db=x"]), "a bot's name"),
        (Form(command="gate", arguments=["a\x1bb"]), "printable"),
    ],
)
def test_values_that_fit_no_field_are_refused(form: Form, reason: str) -> None:
    """A value that could not be part of a command line is named."""
    with pytest.raises((Refused, UsageError), match=reason):
        check_form(form, FORMS.commands)


@pytest.mark.parametrize(
    ("words", "most"),
    [
        ("gate --against=v1 -- v2", [3000]),
        ("gate --against=v1,v3 --stages=20ms:500,100ms:2000 -- v2", [500, 2000]),
        ("tune --games=100 -- builtin:v18", [100, 4000]),
        ("match --games=10 -- v1 v2", [10]),
        ("select -- v1 v2", [20000]),
        ("bisect --good=a --bad=b -- exec:./mybot", [20000]),
        ("run --games=12 --", [12]),
        ("run --hours=2 --", []),
        ("analyze --", []),
        ("suite run -- v1 standard", []),
    ],
)
def test_each_command_states_what_it_plays(words: str, most: list[int]) -> None:
    """Every command has its games, or a sentence on why they are unknown."""
    question = FORMS.ask_cost(words.split())
    assert [each.most_games for each in question.workloads] == most
    assert bool(question.sentence) == (not most)


def test_the_longest_time_of_a_suite_is_known() -> None:
    """Suites of the program are counted; under a budget of work the time is unknown."""
    by_time = FORMS.ask_cost(["suite", "run", "--time=1s", "--", "v1", "standard"]).sentence
    assert "It costs 0.056 machine hours" in by_time
    by_work = FORMS.ask_cost(["suite", "run", "--nodes=5", "--", "v1", "standard"]).sentence
    assert "machine hours" not in by_work


def test_a_missing_argument_is_named() -> None:
    """The cost of an incomplete form is refused with the parser's sentence."""
    with pytest.raises(UsageError, match="Missing argument 'SPEC'"):
        FORMS.ask_cost(["tune", "--"])


def test_the_defaults_of_the_server_are_shown() -> None:
    """Defaults of `ladder.toml` are those of the form, because they are those of the submission."""
    import typer

    from ladder.cli.app import parser

    context = typer.Context(parser(), info_name="ladder", default_map={"gate": {"max_drop": 7.0}})
    fields = QueueForms(context).commands["gate"].options
    assert fields["max-drop"].default == "7"
