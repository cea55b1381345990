"""Parameters as they are written, and the scale on which they are searched."""

import pytest

from ladder.errors import UsageError
from ladder.experiments.tune.parameters import read_parameters, start_of, values_at


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("c", "got 'c'"),
        ("c=0.2", "got 'c=0.2'"),
        ("=0..1", "got '=0..1'"),
        ("c=a..b", "'a' is not a number"),
        ("c=0..nan", "nan is not a number"),
        ("c=0..inf", "inf is not a number"),
        ("c=1.2..0.2", "as in c=0.2..1.2"),
        ("c=1..1", "nothing to tune"),
        ("c=0..2..1", "2 lies outside of 0 .. 1"),
        ("c=0..1:real", "got 'real'"),
        ("c=0..1:log", "begin above 0"),
        ("c=0..1.5:int", "integers"),
    ],
)
def test_a_parameter_that_cannot_be_read_is_refused_in_one_sentence(
    text: str, sentence: str
) -> None:
    """Each mistake has a sentence that says what to write."""
    with pytest.raises(UsageError, match="param") as caught:
        read_parameters([text])
    assert sentence in str(caught.value)


def test_no_parameter_and_a_repeated_name_are_refused() -> None:
    """Something must be tuned, and each name once."""
    with pytest.raises(UsageError, match="name a parameter"):
        read_parameters([])
    with pytest.raises(UsageError, match="twice"):
        read_parameters(["c=0..1", "c=0..2"])


def test_the_search_begins_at_the_values_of_the_user_or_the_bot() -> None:
    """The written start goes before the present value, and without both it is the middle."""
    texts = ["a=0..0.2..1", "b=0..8:int", "c=0.01..1:log"]
    present = {"a": 0.9, "b": 3.0, "c": None}
    starts = [each.start for each in read_parameters(texts, lambda each: present[each.name])]
    assert starts == [0.2, 3, pytest.approx(0.1)]
    assert [each.start for each in read_parameters(texts)] == [0.2, 4, pytest.approx(0.1)]
    with pytest.raises(UsageError, match=r"9 lies outside of 0 \.\. 8"):
        read_parameters(texts, lambda _: 9)


def test_values_and_places_on_the_scale_convert_into_each_other() -> None:
    """A log scale halves a factor, whole numbers are rounded, and a parameter reads itself."""
    log, whole = read_parameters(["c=0.01..1:log", "n=1..100:int:log"])
    assert log.value(0.5) == pytest.approx(0.1)
    assert whole.value(log.unit(0.1)) == pytest.approx(10)
    assert (whole.is_int, whole.is_log) == (True, True)
    parameters = (log, whole)
    assert values_at(parameters, start_of(parameters)) == {"c": 0.1, "n": 10}
    assert read_parameters([str(whole)])[0] == whole
