"""Golden files: compared as they are, rewritten by `pytest --update`. A cache and a key of their own for all tests."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tests.effort import THOROUGH, effort

if TYPE_CHECKING:
    from tests.commands import Commands, Run

# How long an example takes says something of the machine, and nothing of what is tested. The same examples in each run,
# so that a change is judged by what it changes; the long run looks for others.
settings.register_profile(
    "any machine",
    derandomize=not THOROUGH,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=effort(100, thorough=2000),  # where a test does not say how many
)
settings.load_profile("any machine")

# Hypothesis tries constants of the modules that are imported so far: that depends on which tests a process ran before,
# and to read all of coderag for them takes each process five seconds.
if not THOROUGH:
    with suppress(ImportError, KeyError):  # other versions have none, or have them elsewhere
        drawing = vars(import_module("hypothesis.internal.conjecture.providers"))
        drawing["_get_local_constants"] = drawing["Constants"]

Golden = Callable[[Path, str], None]

TESTS = Path(__file__).parent
MOST_WORKERS = 8  # of pytest -n auto: many start servers and processes of their own


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite the golden files with what comes out now")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    from coderag.index.workers.processes import available_cores  # later than what the environment is to be

    return min(MOST_WORKERS, available_cores() + 1)  # one more: many tests wait for a process, a server or a disk


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Let a worker of xdist that has nothing left take tests from another: some take a thousand times as long."""
    if config.getoption("numprocesses", None) and config.option.dist == "no":
        config.option.dist = "worksteal"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Collect without looking for garbage, of which there is little: what is imported stays.

    First, in each worker of xdist, import a share of the test modules: the bytecode of the rest then comes from the
    others. To rewrite the assertions of all modules takes 9 s, which each worker would spend on its own collection.
    """
    gc.disable()
    try:
        worker = getattr(session.config, "workerinput", None)
        if worker is not None and session.config.args == session.config.getini("testpaths"):
            import_share(int(worker["workerid"].removeprefix("gw")), worker["workercount"])
        return (yield)
    finally:
        gc.enable()


def import_share(number: int, count: int) -> None:
    for path in sorted(TESTS.rglob("test_*.py"))[number::count]:
        with suppress(Exception, pytest.skip.Exception):  # the collection reports what cannot be imported
            import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))


@pytest.hookimpl(tryfirst=True)  # before -m leaves out what is marked
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark properties as slow. Run slow tests first: a long one at the end would leave the other workers idle."""
    for item in items:
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_collection_finish() -> None:
    """Let no garbage collection look at the tests and modules: they stay to the end."""
    gc.freeze()


# Objects between two collections of garbage, as the command line has it: what tests import is much to look at.
gc.set_threshold(20_000)

# What a shell without job control starts in the background ignores interrupts, and so does all that it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The cache and the key of the user stay out of the tests, and the tests out of them: also in the processes that they
# start, whose environment other modules copy when they are imported.
OWN = tempfile.TemporaryDirectory(prefix="coderag-tests-")
os.environ.update({name: str(Path(OWN.name, name)) for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")})
os.environ["CODERAG_BACKGROUND"] = "0"  # no test leaves a process behind, and what one sees depends on no other process
os.environ["CODERAG_HELPER"] = "0"
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line has it: a process with threads is not copied


# Whether a file survives a loss of power, no test can see; a busy disk takes seconds for it.
vars(os)["fsync"] = os.fstat

# Tests start some thousand processes, each of which compiles all modules that it imports where bytecode is not kept:
# that takes longer than what it does. Where it may not be beside the modules, it is kept in pytest's own cache.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = str(TESTS.parent / ".pytest_cache" / "bytecode")
    sys.dont_write_bytecode = False


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Remove the folders of tests where all passed: pytest would at the end of a later run, when that takes longer."""
    config = session.config
    if exitstatus == pytest.ExitCode.OK and not hasattr(config, "workerinput") and config.option.basetemp is None:
        folder: Path | None = vars(vars(config)["_tmp_path_factory"])["_basetemp"]
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def pytest_unconfigure() -> None:
    OWN.cleanup()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that is marked `dev` where one of the modules that it needs is not installed."""
    for marker in item.iter_markers("dev"):
        lacking = [name for name in marker.args if find_spec(name) is None]
        if lacking:
            pytest.skip(f"needs {', '.join(lacking)}: pip install -e '.[dev]'")


@pytest.fixture(scope="session")
def commands() -> Iterator[Commands]:
    """What runs commands of coderag."""
    from tests.commands import Commands  # later than what the environment is to be

    started = Commands()
    yield started
    started.close()


@pytest.fixture(scope="session")
def coderag(commands: Commands) -> Run:
    """Run `coderag` with some arguments in a folder, and return what it printed and its exit code."""
    return commands.coderag


@pytest.fixture(scope="session")
def indexed_shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An indexed copy of the example application; tests only read it."""
    from coderag import Index  # later than what the environment is to be
    from tests.workspace import copy_shop

    root = copy_shop(tmp_path_factory.mktemp("indexed") / "shop")
    Index.build(root, workers=0).close()
    return root


@pytest.fixture(scope="session")
def shop_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an index of the example application, which is not copied; tests only read it."""
    from coderag import Index
    from tests.workspace import SHOP

    folder = tmp_path_factory.mktemp("index-of-shop")
    Index.build(SHOP, index=folder, workers=0).close()
    return folder


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare a text with its golden file, or write that file under --update."""

    def check(path: Path, text: str) -> None:
        if request.config.getoption("--update"):
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path} is missing: run pytest --update"
        assert text == path.read_text(encoding="utf-8")

    return check
