"""Fixtures for pytest; none of them does anything in a test that does not ask for it.

`seam_daemon`: a private daemon for the whole run, or the one at --seam-socket. `seam`: a client of it.
`seam_sim`: makes simulations, which end with the test. `seam_async`: connects the asyncio client.
"""

from __future__ import annotations

import hashlib
import os
import re
import sysconfig
from pathlib import Path
from types import TracebackType
from typing import Any, Callable, Dict, Generator, Iterator, List, Optional, Union

import pytest

from . import _requests, paths, sync
from .daemon import Daemon
from .errors import SeamError

SeamSim = Callable[..., sync.Simulation]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("seam", "Seam")
    group.addoption("--seam-socket", metavar="PATH", help="use the daemon at this socket instead of a private one")
    group.addoption(
        "--seam-plugin", metavar="FILE", action="append", default=[], help="load this plug-in into the private daemon"
    )
    group.addoption(
        "--seam-plugin-dir", metavar="DIR", action="append", default=[],
        help="load the plug-ins of this folder into the private daemon",
    )  # fmt: skip
    group.addoption(
        "--seam-trace", choices=("on", "off", "retain-on-failure"), default="off",
        help="record each simulation that a test creates into a file, or keep only those of tests that fail (default: off)",
    )  # fmt: skip
    group.addoption(
        "--seam-trace-dir", metavar="DIR", default="seam-traces",
        help="where recordings go (default: seam-traces); those of an earlier run are taken away",
    )  # fmt: skip


class RunningDaemon:
    """The daemon at --seam-socket: somebody else's, so it is not ended."""

    def __init__(self, socket: str) -> None:
        self.socket = socket

    def renew(self) -> None:
        pass

    def why_gone(self) -> Optional[str]:
        return None

    def close(self) -> None:
        pass


class PrivateDaemon:
    """The daemon of the run. When a test has ended it, the next test that asks for it gets another."""

    def __init__(self, **options: Any) -> None:
        self._options = options
        self._daemon = Daemon(**options)

    @property
    def socket(self) -> str:
        return self._daemon.socket

    def log(self) -> str:
        """What it has written on standard error."""
        return self._daemon.log()

    def renew(self) -> None:
        if not self._daemon.listens():
            self._daemon.close()
            self._daemon = Daemon(**self._options)

    def why_gone(self) -> Optional[str]:
        """Says that it has gone; None while it is there."""
        if self._daemon.listens():
            return None
        said = self.log().strip()
        return (
            f"the private daemon of this run ended during this test{': ' + said if said else ''}\n"
            "the next test that asks for it gets another"
        )

    def close(self) -> None:
        self._daemon.close()


SeamDaemon = Union[PrivateDaemon, RunningDaemon]

_daemon = pytest.StashKey[SeamDaemon]()


@pytest.fixture(scope="session")
def seam_daemon(request: pytest.FixtureRequest) -> Iterator[SeamDaemon]:
    """The daemon of this test run; `seam_daemon.socket` is where it listens."""
    config = request.config
    named = config.getoption("--seam-socket")
    plugins, folders = config.getoption("--seam-plugin"), config.getoption("--seam-plugin-dir")
    problem = ""
    try:
        daemon: SeamDaemon
        if named:
            if plugins or folders:
                raise pytest.UsageError("--seam-plugin is for a private daemon, and --seam-socket names a running one")
            daemon = RunningDaemon(paths.socket_path(named))
        else:
            daemon = PrivateDaemon(plugins=plugins, plugin_dirs=folders)
    except SeamError as found:
        problem = str(found)
    if problem:
        # Not in the `except`, which would be told as well: "During handling of the above exception".
        pytest.fail(f"seam_daemon: {problem}", pytrace=False)
    config.stash[_daemon] = daemon
    yield daemon
    del config.stash[_daemon]
    daemon.close()


def _asks(item: pytest.Item) -> bool:
    return "seam_daemon" in getattr(item, "fixturenames", ())


def pytest_runtest_setup(item: pytest.Item) -> None:
    daemon = item.config.stash.get(_daemon, None)
    if daemon is None or not _asks(item):
        return
    problem = ""
    try:
        daemon.renew()
    except SeamError as found:
        problem = str(found)
    if problem:
        pytest.fail(f"seam_daemon: {problem}", pytrace=False)


def _make_report(item: pytest.Item, call: "pytest.CallInfo[None]") -> Generator[None, Any, None]:
    asks = _asks(item)
    if asks and call.excinfo is not None:
        daemon = item.config.stash.get(_daemon, None)
        gone = None if daemon is None else daemon.why_gone()
        if gone is not None:
            item.add_report_section(call.when, "from seamd in", gone)
        if not item.config.option.fulltrace:
            _cut_traceback(call.excinfo.value)
    outcome = yield
    if not asks:
        return
    report = outcome.get_result()
    traces = item.stash.get(_traces, None)
    if traces is None:
        return
    traces.has_failed |= report.failed
    if report.when == "teardown":
        # The last word: fixtures that were set up before those of Seam are torn down after them, and may fail.
        report.user_properties += traces.settle()


# Around every other, so that what it sees of a report is what the run will say. Not as a decorator, which has no types
# in some versions.
pytest_runtest_makereport = pytest.hookimpl(hookwrapper=True, tryfirst=True)(_make_report)


# MARK: Tracebacks

_package = str(Path(__file__).resolve().parent)
_library = os.path.realpath(sysconfig.get_path("stdlib"))


def _cut_traceback(problem: BaseException) -> None:
    """Ends it at the line of the test: what this package says of a mistake is in its text, not in its source."""
    if not isinstance(problem, (SeamError, ValueError, TypeError, KeyError)):
        return
    last: Optional[TracebackType] = None
    entry, path = problem.__traceback__, ""
    while entry is not None:
        path = os.path.realpath(entry.tb_frame.f_code.co_filename)
        if not _is_inner(path):
            last = entry
        entry = entry.tb_next
    # Only what was raised here: a fault of asyncio's, or of the test's own, is shown as it is.
    if last is not None and _is_in(path, _package):
        last.tb_next = None


def _is_in(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/")


def _is_inner(path: str) -> bool:
    """A file of this package, or of what runs it for a test, such as asyncio."""
    is_installed = "/site-packages/" in path or "/dist-packages/" in path
    return _is_in(path, _package) or (_is_in(path, _library) and not is_installed)


# MARK: Fixtures


@pytest.fixture
def seam(request: pytest.FixtureRequest, seam_daemon: SeamDaemon) -> Iterator[sync.Client]:
    """A blocking client of the daemon."""
    problem = ""
    try:
        client = sync.connect(seam_daemon.socket)
    except SeamError as found:
        problem = str(found)
    if problem:
        pytest.fail(f"seam: {problem}", pytrace=False)
    client._recorder = _recorder(request, seam_daemon)
    with client:
        yield client
        _finish(client._recorder)


@pytest.fixture
def seam_async(request: pytest.FixtureRequest, seam_daemon: SeamDaemon) -> Iterator[Callable[..., Any]]:
    """Connects the asyncio client: `async with seam_async() as client`."""
    from .client import connect

    recorder = _recorder(request, seam_daemon)

    def make(**options: Any) -> Any:
        connection = connect(seam_daemon.socket, **options)
        connection._recorder = recorder
        return connection

    yield make
    _finish(recorder)


@pytest.fixture
def seam_sim(seam: sync.Client) -> Iterator[SeamSim]:
    """Makes simulations: `sim = seam_sim("live")`, with the options of Client.create(). They end with the test."""
    made: List[sync.Simulation] = []

    def make(scenario: str, id: Optional[str] = None, **options: Any) -> sync.Simulation:
        # Of this connection, so that not even a killed test run leaves it in a shared daemon.
        options.setdefault("lifetime", "connection")
        made.append(seam.create(scenario, id, **options))
        return made[-1]

    yield make
    _finish(seam._recorder)
    # What a test did to the daemon, such as ending it, is no fault of the clean-up.
    for sim in reversed(made):
        try:
            sim.destroy()
        except SeamError:
            pass


# MARK: Recordings


def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    if config.getoption("--seam-trace") == "off" or config.option.collectonly or hasattr(config, "workerinput"):
        return
    folder = Path(config.getoption("--seam-trace-dir")).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Who uploads the folder means this run. Only files are taken away that a run has made.
        for file in folder.iterdir():
            if re.fullmatch(rf".*{_MARK}\.jsonl", file.name) and file.is_file():
                file.unlink()
    except OSError as problem:
        raise pytest.UsageError(f"--seam-trace-dir={folder} cannot be used: {problem.strerror}") from None


# What a file's name ends with: a digest of the test's id, and the number of the simulation in it.
_MARK = r"-[0-9a-f]{12}(-[0-9]+)?"


class _Traces:
    """The recordings of one test."""

    def __init__(self, folder: Path, test: str, daemon: SeamDaemon, keeps_all: bool) -> None:
        self.has_failed = False
        self._folder = folder
        self._keeps_all = keeps_all
        self._daemon = daemon
        # What can be read of the test's name, and what no other test has: of "a/b" and "a-b" the former is the same.
        name = re.sub(r"[^A-Za-z0-9_.-]+", "-", test).strip("-")[-150:]
        self._name = f"{name}-{hashlib.sha256(test.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
        self._sims: Dict[Path, Optional[str]] = {}

    def file(self) -> str:
        """Where the next simulation is recorded."""
        number = len(self._sims)
        file = self._folder / f"{self._name}{f'-{number + 1}' if number else ''}.jsonl"
        # A test that is run again begins anew.
        file.unlink(missing_ok=True)
        self._sims[file] = None
        return str(file)

    def began(self, file: str, sim: str) -> None:
        self._sims[Path(file)] = sim

    def settle(self) -> "List[tuple[str, object]]":
        """The properties of the report, each of which names a file that is there."""
        kept: "List[tuple[str, object]]" = []
        for file in self._sims:
            if self._keeps_all or self.has_failed:
                if file.exists():
                    kept.append(("seam_trace", str(file)))
            else:
                file.unlink(missing_ok=True)
        return kept

    def finish(self) -> None:
        """Ends what is still being recorded, so that all of it is in the file: also of what the test has left behind."""
        try:
            with sync.connect(self._daemon.socket) as client:
                for sim in filter(None, self._sims.values()):
                    try:
                        client.simulation(sim).stop_recording()
                    except SeamError:
                        pass  # it has ended, and its recording with it
        except SeamError:
            pass  # the daemon has gone, and what it wrote is what there is


_traces = pytest.StashKey[_Traces]()


def _finish(recorder: Optional[_requests.Recorder]) -> None:
    if isinstance(recorder, _Traces):
        recorder.finish()


def _recorder(request: pytest.FixtureRequest, daemon: SeamDaemon) -> Optional[_Traces]:
    """The recordings of the test that asks, if any are wished for."""
    wish = request.config.getoption("--seam-trace")
    if wish == "off":
        return None
    stash = request.node.stash
    if _traces not in stash:
        folder = Path(request.config.getoption("--seam-trace-dir")).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        stash[_traces] = _Traces(folder, request.node.nodeid, daemon, keeps_all=wish == "on")
    found: _Traces = stash[_traces]
    return found
