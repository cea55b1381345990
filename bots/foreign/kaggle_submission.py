"""A Kaggle submission: its files, and the agent in them.

On Kaggle a submission lies in ``/kaggle_simulations/agent``. Here each mention of that folder in
its Python files is read as the folder of its main file. Modules are sought beside the file, among
the standard library and the installed packages, then in the folders above the file. Last comes a
stand-in for the package ``kaggle_environments``, which many submissions import and few use.

Self-contained: the standard library of Python 3.8, and no package of this project.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)
from types import ModuleType
from typing import Any, Callable

from .host_loop import Failure

ARCHIVES = (".tar.gz", ".tgz")
MAIN = "main.py"
"""The file of an archive that defines the agent."""
KAGGLE_FOLDER = b"/kaggle_simulations/agent"
MOST_ABOVE = 4
"""Number of folders above the file in which modules are sought."""
USUAL = ("agent", "my_agent", "act")
"""Usual names of agents."""
CHOOSE = "act"
"""The method of a class that is named as the agent."""
HAS_MORE = 0x04
"""The flag of code that takes any number of arguments."""


class AgentLoader(SourceFileLoader):
    """Loads a module of the submission, in which the folder of Kaggle means the real one."""

    folder: bytes
    """The submission's folder."""

    def get_code(self, fullname: str) -> Any:
        """Return the code of a module; compiled code is kept only for a module without the name."""
        path = self.get_filename(fullname)
        source = self.get_data(path)
        if KAGGLE_FOLDER not in source:
            return super().get_code(fullname)
        return compile(source.replace(KAGGLE_FOLDER, self.folder), path, "exec")


class Submission:
    """A submission whose file has been executed."""

    def __init__(self, root: str, path: str, name: str) -> None:
        """Execute the file and find the agent.

        Args:
            root: the folder above which no module is sought.
            path: the file.
            name: the agent's name; "" for the last callable.

        """
        self.title = os.path.basename(path)
        if path.endswith(ARCHIVES):
            path = root = unpack_main(path)
        self.path = os.path.abspath(path)
        self.folders = tuple(os.path.join(each, "") for each in folders_above(self.path, root))
        AgentLoader.folder = os.fsencode(os.path.dirname(self.path))
        sys.path_hooks.insert(0, self.find_own_modules)
        sys.path.insert(0, self.folders[0][:-1])  # as on Kaggle, modules beside it come first
        stand_ins = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stand_ins")
        sys.path += [*(each[:-1] for each in self.folders[1:]), stand_ins]
        self.module = ModuleType("submission")  # without __file__, which Kaggle does not define
        sys.modules["submission"] = self.module
        self.note = ""
        code = AgentLoader("submission", self.path).get_code("submission")
        self.run(exec, code, self.module.__dict__)
        self.agent = self.find_agent(name)
        self.parameters = parameters_of(self.agent)

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the file, once more with __file__ if it needs that."""
        try:
            return function(*arguments)
        except NameError as error:
            if "'__file__'" not in str(error) or hasattr(self.module, "__file__"):
                raise
        self.module.__file__ = self.path
        return function(*arguments)

    def find_own_modules(self, place: str) -> FileFinder:
        """Return the finder of the modules in a folder of the submission."""
        if not os.path.join(place, "").startswith(self.folders) or "site-packages" in place:
            raise ImportError
        return FileFinder(
            place,
            (ExtensionFileLoader, EXTENSION_SUFFIXES),
            (AgentLoader, SOURCE_SUFFIXES),
            (SourcelessFileLoader, BYTECODE_SUFFIXES),
        )

    def find_agent(self, name: str) -> Callable[..., Any]:
        """Return the agent: the callable of a name, or the last one in order of definition."""
        found = {
            key: value
            for key, value in vars(self.module).items()
            if callable(value) and not key.startswith("__")
        }
        if not found:
            raise Failure(f"{self.title} defines no function to be the agent")
        if name:
            return self.named_agent(name, found)
        last = list(found)[-1]
        agent: Callable[..., Any] = found[last]
        proposal = self.propose(found)
        if isinstance(agent, type):
            raise Failure(
                f"the last callable of {self.title}, which is the agent on Kaggle, is the class "
                f"{last}: {proposal or 'put the function of the agent last'}"
            )
        shown = getattr(agent, "__name__", type(agent).__name__)
        if last not in USUAL:
            self.note = f"; {shown} was taken as the agent, for it is the last callable of the file"
            self.note += f": {proposal}" if proposal else ""
        return agent

    def propose(self, found: dict[str, Any]) -> str:
        """Return the advice to name the agent, if one of the callables looks like it."""
        likely = [key for key in USUAL if key in found and not isinstance(found[key], type)]
        likely += [
            key
            for key, value in found.items()
            if isinstance(value, type) and callable(getattr(value, CHOOSE, None))
        ]
        return f"write kaggle:{self.title}:{likely[0]} to choose that" if likely else ""

    def named_agent(self, name: str, found: dict[str, Any]) -> Callable[..., Any]:
        """Return the agent of a name: a function, or `act` of an instance of a class."""
        if name not in found:
            raise Failure(
                "{} has no function or class {}: it has {}".format(
                    self.title, name, ", ".join(list(found)[:12])
                )
            )
        agent: Callable[..., Any] = found[name]
        if not isinstance(agent, type):
            return agent
        choose = getattr(self.run(agent), CHOOSE, None)
        if not callable(choose):
            raise Failure(f"the class {name} of {self.title} has no method {CHOOSE}")
        method: Callable[..., Any] = choose
        return method


def folders_above(path: str, root: str) -> list[str]:
    """Return the folder of a file and those above it in which its modules are sought."""
    found = [os.path.dirname(path)]
    top = os.path.abspath(root)
    while len(found) <= MOST_ABOVE and found[-1].startswith(os.path.join(top, "")):
        found.append(os.path.dirname(found[-1]))
    return found


def unpack_main(archive: str) -> str:
    """Unpack an archive into the process's scratch folder; return the path of its main file."""
    # imported here because they take as long as the rest of the host
    import tarfile
    import tempfile

    folder = tempfile.mkdtemp()
    try:
        with tarfile.open(archive) as files:
            if hasattr(tarfile, "data_filter"):
                files.extraction_filter = tarfile.data_filter
            files.extractall(folder)  # noqa: S202 - code of the same submission runs next
    except (tarfile.TarError, OSError, EOFError) as error:
        raise Failure(f"{archive} cannot be unpacked: {error}") from error
    path = os.path.join(folder, MAIN)
    if not os.path.isfile(path):
        names = ", ".join(sorted(os.listdir(folder))[:5])
        raise Failure(f"{archive} has no {MAIN} at its top: there are {names or 'no files'}")
    return path


def parameters_of(agent: Callable[..., Any]) -> int:
    """Return the number of arguments that the agent is called with: 0, 1 or 2.

    Kaggle counts the parameters in the agent's code, and calls what has none with both.
    """
    code = getattr(agent, "__code__", None)
    if code is None or code.co_flags & HAS_MORE:
        return 2
    is_method = getattr(agent, "__self__", None) is not None
    return int(min(2, code.co_argcount - is_method))
