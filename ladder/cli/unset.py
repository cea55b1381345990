"""Words that undo a default of `ladder.toml`: ``--time none``, ``--no-rated``."""

from typing import Any

NO_VALUE = "none"
"""The value of an option that is not given."""


def spelled_off(flag: Any) -> str:
    """Return the word that turns a flag off."""
    spelled: str = (*flag.secondary_opts, f"--no-{flag.opts[0].removeprefix('--')}")[0]
    return spelled


def split_unset(params: list[Any], words: list[str]) -> tuple[list[str], dict[str, object]]:
    """Return the words of a command line without those that undo a default, and what they set.

    Args:
        params: the parameters of the command.
        words: the words after the command's own.

    Returns:
        The other words, and the values by the names of options.

    """
    options = [each for each in params if each.param_type_name == "option" and not each.required]
    empty = {
        spelled: each
        for each in options
        if each.default is None and not each.is_flag
        for spelled in each.opts
    }
    off = {spelled_off(each): each.name for each in options if each.is_flag}
    left: list[str] = []
    undone: dict[str, object] = {}
    rest = iter(words)
    for word in rest:
        if word == "--":
            return [*left, word, *rest], undone
        name, sign, value = word.partition("=")
        if word in off:
            undone[off[word]] = False
        elif name in empty and sign and value == NO_VALUE:
            undone |= _nothing(empty[name])
        elif word == NO_VALUE and left and left[-1] in empty:
            undone |= _nothing(empty[left.pop()])
        else:
            left.append(word)
    return left, undone


def _nothing(option: Any) -> dict[str, object]:
    return {option.name: [] if option.multiple else None}
