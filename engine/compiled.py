"""Typed decorators of numba, and a cache of machine code that cannot go stale.

`engine.cache` names the folder of that cache.
"""

import functools
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numba.core.caching
import numba.core.typing.templates
import numba.extending
from numba.core import types
from numba.extending import intrinsic as intrinsic

from engine.cache import PACKAGES, ROOT, cache_folder, is_shared, source_fingerprint

# numba's types cover only part of it
caching: Any = numba.core.caching
templates: Any = numba.core.typing.templates
models: Any = numba.extending.models
register_model: Any = numba.extending.register_model
lower_builtin: Any = numba.extending.lower_builtin

F = TypeVar("F", bound=Callable[..., object])

_InCacheFolder: Any = getattr(
    caching, "UserProvidedCacheLocator", getattr(caching, "_UserProvidedCacheLocator", object)
)


class Locator(_InCacheFolder):  # type: ignore[misc,unused-ignore]
    """The place of a kernel's machine code: by its source's path below the root of the sources.

    The folder that holds it all is named by a hash of those sources, so that neither where they lie
    nor when they were written makes a difference.
    """

    @classmethod
    def from_function(cls, py_func: object, py_file: str) -> Any:
        """A locator for a kernel of these sources; for any other function numba's own."""
        if any(Path(py_file).is_relative_to(ROOT / package) for package in PACKAGES):
            return super().from_function(py_func, py_file)
        return _InCacheFolder.from_function(py_func, py_file)

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """The folder for the kernels of one source."""
        return ".".join(Path(py_file).relative_to(ROOT).with_suffix("").parts)

    def get_source_stamp(self) -> str:
        """Equal for every copy of the sources, whenever it was written."""
        return source_fingerprint()


@functools.cache
def configure() -> bool:
    """Have numba keep machine code in the cache folder, and return whether that can be written.

    Where it cannot, nothing is kept: numba would fall back to `__pycache__` beside the sources,
    which an edit of a called function does not empty. Compiling anew is slower, but right.
    """
    folder = cache_folder()
    settings = {"CACHE_DIR": str(folder)}
    if is_shared():
        settings["CACHE_LOCATOR_CLASSES"] = f"{__name__}.{Locator.__name__}"
    for name, value in settings.items():
        setattr(numba.config, name, value)  # absent from numba's types
    return _can_keep_code(folder)


def _can_keep_code(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def numba_targets_another_cpu() -> bool:
    """Whether the user told numba to compile for another processor than this one."""
    return bool(
        getattr(numba.config, "CPU_NAME", None) or getattr(numba.config, "CPU_FEATURES", None)
    )


def kernel(function: F) -> F:
    """Compile a function to machine code on first use and keep it on disk (see `configure`)."""
    return cast(F, numba.njit(cache=configure(), error_model="numpy", nogil=True)(function))


def inlined(function: F) -> F:
    """Compile a small helper into every kernel that calls it; it has no cache of its own."""
    return cast(F, numba.njit(forceinline=True, error_model="numpy", nogil=True)(function))


def instruction(result: types.Type, *arguments: types.Type) -> Callable[[Callable[..., Any]], Any]:
    """Make a kernel callable out of a function that writes LLVM instructions.

    The decorated function gets the instruction builder and one LLVM value for each of
    `arguments`, and returns the LLVM value of type `result`.
    """

    def decorate(emit: Callable[..., Any]) -> Any:
        def typed(typing_context: Any, *given: Any) -> Any:  # noqa: ARG001 - numba's form
            def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001
                return emit(builder, *values)

            if len(given) != len(arguments):
                return None
            return result(*arguments), lower

        # numba reads the argument names from the signature, which `wraps` passes on
        return intrinsic(functools.wraps(emit)(typed))

    return decorate


def register_value(
    name: str, machine_type: Any, operators: Mapping[Callable[..., Any], str]
) -> Any:
    """A numba type for values that live in one LLVM value and exist only inside kernels.

    Args:
        name: of the type in numba's messages.
        machine_type: its LLVM type.
        operators: Python's operator functions on two such values, and the builder's method that
            emits the instruction.

    """

    class Value(types.Type):  # type: ignore[misc,unused-ignore]
        pass

    class Model(models.PrimitiveModel):  # type: ignore[misc,unused-ignore]
        def __init__(self, manager: Any, numba_type: Any) -> None:
            super().__init__(manager, numba_type, machine_type)

    value = Value(name)
    register_model(Value)(Model)
    for function, method in operators.items():
        cases = [templates.signature(value, value, value)]
        typing = type("Typing", (templates.ConcreteTemplate,), {"cases": cases})
        templates.infer_global(function)(typing)
        lower_builtin(function, value, value)(_emitter(method))
    return value


def _emitter(method: str) -> Callable[..., Any]:
    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001
        return getattr(builder, method)(*values)

    return lower
