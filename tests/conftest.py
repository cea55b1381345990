"""What holds for all tests: nothing of them comes into the user's own folders."""

from collections.abc import Iterator

import pytest

from tests.support.shared import VARIABLE, session_folder


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The ladder's state of this user is a folder of the tests, also for their processes."""
    with pytest.MonkeyPatch.context() as patch:
        folder = session_folder(tmp_path_factory)
        patch.setenv(VARIABLE, str(folder))
        patch.setenv("LADDER_STATE", str(folder / "state"))
        yield
