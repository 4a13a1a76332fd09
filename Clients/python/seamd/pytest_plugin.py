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

    def close(self) -> None:
        pass


@pytest.fixture(scope="session")
def seam_daemon(request: pytest.FixtureRequest) -> Iterator[Union[Daemon, RunningDaemon]]:
    """The daemon of this test run; `seam_daemon.socket` is where it listens."""
    config = request.config
    named = config.getoption("--seam-socket")
    plugins, folders = config.getoption("--seam-plugin"), config.getoption("--seam-plugin-dir")
    try:
        daemon: Union[Daemon, RunningDaemon]
        if named:
            if plugins or folders:
                raise pytest.UsageError("--seam-plugin is for a private daemon, and --seam-socket names a running one")
            daemon = RunningDaemon(paths.socket_path(named))
        else:
            daemon = Daemon(plugins=plugins, plugin_dirs=folders)
    except SeamError as problem:
        pytest.fail(f"seam_daemon: {problem}", pytrace=False)
    yield daemon
    daemon.close()


@pytest.fixture
def seam(seam_daemon: Union[Daemon, RunningDaemon]) -> Iterator[sync.Client]:
    """A blocking client of the daemon."""
    try:
        client = sync.connect(seam_daemon.socket)
    except SeamError as problem:
        said = seam_daemon.log().strip() if isinstance(seam_daemon, Daemon) else ""
        pytest.fail(f"seam: {problem}{': ' + said if said else ''}", pytrace=False)
    with client:
        yield client


@pytest.fixture
def seam_async(seam_daemon: Union[Daemon, RunningDaemon]) -> Callable[..., Any]:
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
