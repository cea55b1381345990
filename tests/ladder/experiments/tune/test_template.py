"""Specifications with parameters in them."""

import pytest

from ladder.errors import UsageError
from ladder.experiments.tune.parameters import template_of


def test_a_player_starts_at_the_values_of_its_row_or_option() -> None:
    """A value comes from the specification, the version's row, or the default of all versions."""
    template = template_of(
        "builtin:v18?endgame=30",
        ["c=0.2..1.2", "endgame=0..40:int", "hint=0..1"],
    )
    assert [each.start for each in template.parameters] == [0.45, 30, 0]
    assert template.original == "builtin:v18?endgame=30"
    spec = template.spec_at({"c": 0.7, "endgame": 8, "hint": 0.125})
    assert spec == "builtin:v18?endgame=8&c=0.7&hint=0.125"
    assert template.is_original(template.start)
    assert not template.is_original({**template.start, "c": 0.7})


def test_a_command_names_the_places_of_its_values() -> None:
    """Every place of a name is filled, other braces stay, and the middle is the original."""
    template = template_of("exec:./bot --c {c} {n} {c} {json}", ["c=0..1"])
    assert template.spec_at({"c": 0.25}) == "exec:./bot --c 0.25 {n} 0.25 {json}"
    assert template.original == "exec:./bot --c 0.5 {n} 0.5 {json}"
    assert template.is_original({"c": 0.5})
    assert not template.is_original({"c": 0.25})


@pytest.mark.parametrize(
    ("spec", "parameter", "sentence"),
    [
        ("builtin:v18", "depth=0..3:int", "v18 has no such option"),
        ("builtin:v18", "careful=0..256", "integer: write careful=0..256:int"),
        ("builtin:v14", "memory=0..1", "a text, not a number"),
        ("builtin:v18", "c=0.5..1", "present value 0.45 lies outside of 0.5 .. 1"),
        ("builtin:v18", "c=-1..1", "a number from 0 to 100"),
        ("builtin:v18", "careful=0..300:int", "a number from 0 to 256"),
        ("builtin:v18?c={c}", "c=0..1", "need no placeholder: write 'builtin:v18'"),
        ("builtin:random", "c=0..1", "random has no numerical option"),
        ("exec:./bot --c 0.5", "c=0..1", "does not contain {c}"),
    ],
)
def test_parameters_that_do_not_fit_the_bot_are_refused_in_one_sentence(
    spec: str, parameter: str, sentence: str
) -> None:
    """They are refused before anything is played."""
    with pytest.raises(UsageError) as caught:
        template_of(spec, [parameter])
    assert sentence in str(caught.value)
