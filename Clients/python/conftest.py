"""What the tests stand on: real daemons, both twins behind one face, and servers that misbehave."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

import seamd
import seamd.sync

ROOT = Path(__file__).resolve().parents[2]

# Where the package is installed the plug-in comes by its entry point; here it lies beside this file. `pip install .` leaves
# an egg-info in this folder, by which pytest finds the entry point here too, and has loaded it already by now.
pytest_plugins = ["pytester"] if "seamd.pytest_plugin" in sys.modules else ["seamd.pytest_plugin", "pytester"]

if Path(seamd.__file__).resolve().parent != Path(__file__).resolve().parent / "seamd":
    raise pytest.UsageError(
        f"these tests are those of {Path(__file__).parent}/seamd, and pytest has loaded {Path(seamd.__file__).parent}, which "
        "is installed; run them with: python3 -m pytest -p no:seamd"
    )


def find(program):
    """A program of the build under test: in $SEAM_BIN, else in PATH."""
    folder = os.environ.get("SEAM_BIN")
    return f"{folder}/{program}" if folder else program


os.environ.setdefault("SEAMD", find("seamd"))
# Whatever these tests start must not meet the daemon of whoever runs them.
for name in ("SEAM_SOCKET", "SEAM_PLUGIN_PATH"):
    os.environ.pop(name, None)
os.environ["XDG_RUNTIME_DIR"] = ""


class Seamd:
    """A seamd at a socket of the test's choice, so that another one can follow it there."""

    def __init__(self, path, *arguments):
        self.path = path
        ready, written = os.pipe()
        try:
            self.process = subprocess.Popen(
                [os.environ["SEAMD"], "--socket", path, "--ready-fd", str(written), *arguments],
                pass_fds=[written],
            )
        finally:
            os.close(written)
        try:
            assert os.read(ready, 1) == b"\n", "seamd did not start"
        finally:
            os.close(ready)

    def kill(self):
        self.process.kill()
        self.process.wait(10)

    def signal(self, number):
        os.kill(self.process.pid, number)

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            self.process.wait(10)


@pytest.fixture
def folder():
    """Short, since a socket's path has 107 bytes."""
    with tempfile.TemporaryDirectory(prefix="seam-py-", dir="/tmp") as path:
        yield path


@pytest.fixture
def start(folder):
    """Starts daemons, at the same socket unless told otherwise."""
    started = []

    def make(*arguments, path=None):
        started.append(Seamd(path or f"{folder}/seam.sock", *arguments))
        return started[-1]

    yield make
    for one in started:
        one.close()


class Face:
    """Makes an object of the blocking twin look like its asyncio one, so that a test is written once."""

    def __init__(self, target):
        self._target = target

    def __getattr__(self, name):
        value = getattr(self._target, "close" if name == "aclose" else name)
        if not callable(value):
            return value
        if name in ("watch", "simulation"):
            return lambda *args, **named: Face(value(*args, **named))
        return lambda *args, **named: Later(lambda: value(*args, **named))

    def __aiter__(self):
        return self

    async def __anext__(self):
        try:
            return next(self._target)
        except StopIteration:
            raise StopAsyncIteration from None

    async def __aenter__(self):
        self._target.__enter__()
        return self

    async def __aexit__(self, *problem):
        self._target.__exit__(*problem)


def faced(value):
    return Face(value) if isinstance(value, (seamd.sync.Client, seamd.sync.Simulation, seamd.sync.Watch)) else value


class Later:
    def __init__(self, work):
        self._work = work
        self._made = None

    def __await__(self):
        return faced(self._work())
        yield

    async def __aenter__(self):
        self._made = self._work()
        return faced(self._made.__enter__())

    async def __aexit__(self, *problem):
        self._made.__exit__(*problem)


class Twin:
    """`twin.connect(…)`, and `twin.play(scenario)`, which runs an async function to its end."""

    def __init__(self, name):
        self.name = name

    def connect(self, *args, **named):
        if self.name == "asyncio":
            return seamd.connect(*args, **named)
        return Later(lambda: seamd.sync.connect(*args, **named))

    def play(self, scenario, limit=30):
        async def limited():
            return await asyncio.wait_for(scenario(), limit)

        return asyncio.run(limited())


@pytest.fixture(params=["asyncio", "blocking"])
def twin(request):
    return Twin(request.param)


class Server:
    """Listens at a socket and answers as a test says: `script(connection, number)` is run for each connection."""

    def __init__(self, path, script):
        self.path = path
        self._script = script
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen(16)
        self._connections = []
        self._count = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            self._count += 1
            threading.Thread(target=self._serve, args=(connection, self._count), daemon=True).start()

    def _serve(self, connection, number):
        with contextlib.suppress(OSError):
            self._script(connection, number)

    def cut(self):
        """Ends every connection, as a network or a proxy would: without a word."""
        connections, self._connections = self._connections, []
        for one in connections:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self):
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()
        with contextlib.suppress(OSError):
            os.unlink(self.path)


@pytest.fixture
def serve(folder):
    servers = []

    def make(script, name="fake.sock"):
        servers.append(Server(f"{folder}/{name}", script))
        return servers[-1]

    yield make
    for one in servers:
        one.close()


def relay(target):
    """A script for Server: hands everything on to the daemon at `target`, and back."""

    def pump(source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(4096):
                sink.sendall(data)
        for one in (source, sink):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def script(connection, _):
        with socket.socket(socket.AF_UNIX) as daemon:
            daemon.connect(target)
            back = threading.Thread(target=pump, args=(daemon, connection), daemon=True)
            back.start()
            pump(connection, daemon)
            back.join()

    return script
