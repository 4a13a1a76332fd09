"""Fixtures for pytest; none of them does anything in a test that does not ask for it.

`seam_daemon`: a private daemon for the whole run, or the one at --seam-socket. `seam`: a client of it.
`seam_sim`: makes simulations, which end with the test. `seam_async`: connects the asyncio client.
"""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any, Callable, Iterator, List, Optional, Set, Union

import pytest

from . import paths, sync
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
        help="record each simulation of seam_sim into a file, or only those of tests that fail (default: off)",
    )  # fmt: skip
    group.addoption(
        "--seam-trace-dir", metavar="DIR", default="seam-traces", help="where recordings go (default: seam-traces)"
    )


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


def pytest_runtest_setup(item: pytest.Item) -> None:
    daemon = item.config.stash.get(_daemon, None)
    if daemon is None or "seam_daemon" not in getattr(item, "fixturenames", ()):
        return
    problem = ""
    try:
        daemon.renew()
    except SeamError as found:
        problem = str(found)
    if problem:
        pytest.fail(f"seam_daemon: {problem}", pytrace=False)


def pytest_runtest_makereport(item: pytest.Item, call: "pytest.CallInfo[None]") -> None:
    daemon = item.config.stash.get(_daemon, None)
    if call.excinfo is not None and daemon is not None and "seam_daemon" in getattr(item, "fixturenames", ()):
        gone = daemon.why_gone()
        if gone is not None:
            # pytest's own hook, which makes the report, comes after this one and takes it in.
            item.add_report_section(call.when, "from seamd in", gone)


@pytest.fixture
def seam(seam_daemon: SeamDaemon) -> Iterator[sync.Client]:
    """A blocking client of the daemon."""
    problem = ""
    try:
        client = sync.connect(seam_daemon.socket)
    except SeamError as found:
        problem = str(found)
    if problem:
        pytest.fail(f"seam: {problem}", pytrace=False)
    with client:
        yield client


@pytest.fixture
def seam_async(seam_daemon: SeamDaemon) -> Callable[..., Any]:
    """Connects the asyncio client: `async with seam_async() as client`."""
    from .client import connect

    def make(**options: Any) -> Any:
        return connect(seam_daemon.socket, **options)

    return make


@pytest.fixture
def seam_sim(request: pytest.FixtureRequest, seam: sync.Client) -> Iterator[SeamSim]:
    """Makes simulations: `sim = seam_sim("live")`, with the options of Client.create(). They end with the test."""
    made: List[sync.Simulation] = []
    traces: List[_Trace] = []
    wish = request.config.getoption("--seam-trace")
    folder = Path(request.config.getoption("--seam-trace-dir"))

    def make(scenario: str, id: Optional[str] = None, **options: Any) -> sync.Simulation:
        # Of this connection, so that not even a killed test run leaves it in a shared daemon.
        options.setdefault("lifetime", "connection")
        if wish == "off" or "record" in options:
            sim = seam.create(scenario, id, **options)
        else:
            trace = _Trace(_file(folder, request.node.nodeid, len(made)))
            sim = trace.begin(seam, scenario, id, options)
            traces.append(trace)
        made.append(sim)
        return sim

    yield make
    # What a test did to the daemon, such as ending it, is no fault of the clean-up.
    for sim in reversed(made):
        try:
            sim.destroy()
        except SeamError:
            pass
    for trace in traces:
        trace.end()
        if wish == "retain-on-failure" and request.node.nodeid not in _failed:
            trace.file.unlink(missing_ok=True)
        else:
            request.node.user_properties.append(("seam_trace", str(trace.file)))


# Node ids of tests of which a phase has failed. pytest tells this before the fixtures are taken down.
_failed: Set[str] = set()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        _failed.add(report.nodeid)


def _file(folder: Path, test: str, number: int) -> Path:
    """A file name that tells the test; `number` is that of the simulation in it."""
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", test).strip("-")[-150:]
    return (folder / f"{name}{f'-{number + 1}' if number else ''}.jsonl").absolute()


class _Trace:
    """A recording: the daemon's own where it can record, else the lines of the stream."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._thread: Optional[threading.Thread] = None
        self._watch: Optional[sync.Watch] = None

    def begin(self, seam: sync.Client, scenario: str, id: Optional[str], options: Any) -> sync.Simulation:
        self.file.unlink(missing_ok=True)
        if seam.offers("rec.start"):
            return seam.create(scenario, id, record=str(self.file), **options)
        sim = seam.create(scenario, id, **options)
        self._watch = sim.watch(mode="all", reconnect=0).opened()
        self._thread = threading.Thread(target=self._write, name=f"seam-trace {sim.id}", daemon=True)
        self._thread.start()
        return sim

    def _write(self) -> None:
        assert self._watch is not None
        with open(self.file, "wb") as file:
            try:
                for event in self._watch:
                    file.write(event.line + b"\n")
            except SeamError:
                pass  # the daemon went: what it said until then is what there is

    def end(self) -> None:
        """The simulation is destroyed, so the stream ends by itself."""
        if self._thread is not None and self._watch is not None:
            self._thread.join(5)
            if self._thread.is_alive():
                self._watch.close()
                self._thread.join(5)
