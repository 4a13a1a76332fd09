"""A seamd of one's own, on a socket that nobody else knows."""

from __future__ import annotations

import errno
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import weakref
from typing import Any, Dict, Mapping, Optional, Sequence

from . import _requests, paths
from ._process import Here
from .errors import ConnectError

# Ends the daemon when its standard input ends, which it does however this process goes: also by SIGKILL. The usual
# means, PR_SET_PDEATHSIG, would end it with the thread that started it. Then takes its folder away, which is $0. The
# shell's status is the daemon's.
_KEEPER = '''
"$@" & daemon=$!
exec >&-
read -r _
kill "$daemon" 2>/dev/null
wait "$daemon"
status=$?
rm -rf -- "$0"
exit "$status"
'''

# How long it may take to end in order: the daemon gives its readers 2 s.
_ENDING = 5.0

# How long the start may take, on a machine that does a lot besides.
START_SECONDS = 30.0


def find_program(program: Optional[str] = None) -> str:
    """`program`, else $SEAMD, else the first seamd in PATH."""
    named = program or os.environ.get("SEAMD") or "seamd"
    found = shutil.which(named)
    if found is None:
        origin = "as given" if program else "from $SEAMD" if os.environ.get("SEAMD") else "in PATH"
        if "/" in named and os.path.exists(named):
            what = "a folder" if os.path.isdir(named) else "no program that this user may execute"
            raise ConnectError(f"{named} ({origin}) is {what}: put seamd into PATH, or its path into SEAMD")
        raise ConnectError(f"no {named} to start ({origin}): put seamd into PATH, or its path into SEAMD")
    return found


_all: "weakref.WeakSet[Daemon]" = weakref.WeakSet()


def _let_go() -> None:
    """In the child of a fork: the daemon is the parent's, and ends when the last end of its pipe is closed."""
    for daemon in list(_all):
        daemon._abandon()


os.register_at_fork(after_in_child=_let_go)


class Daemon:
    """A private daemon, ended with the `with` block, by close(), or with this process.

    Connect with `connect(daemon.socket)`; `connect(private=True)` does both.
    """

    def __init__(
        self,
        *,
        plugins: Sequence[str] = (),
        plugin_dirs: Sequence[str] = (),
        arguments: Sequence[str] = (),
        program: Optional[str] = None,
        environment: Optional[Mapping[str, str]] = None,
        timeout: float = START_SECONDS,
        wait: bool = True,
    ) -> None:
        """With `wait=False` it may not listen yet: see ready_descriptor()."""
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._owner = Here.pid
        self._timeout = timeout
        self._begin(
            _requests.paths_of(plugins, "plugins"),
            _requests.paths_of(plugin_dirs, "plugin_dirs"),
            _requests.paths_of(arguments, "arguments"),
            program,
            environment,
        )
        if wait:
            # poll(), since select() knows no descriptors from 1,024 on.
            poll = select.poll()
            poll.register(self.ready_descriptor(), select.POLLIN)
            self.started(bool(poll.poll(timeout * 1000)))

    def _begin(
        self,
        plugins: Sequence[str],
        plugin_dirs: Sequence[str],
        arguments: Sequence[str],
        program: Optional[str],
        environment: Optional[Mapping[str, str]],
    ) -> None:
        self.program = find_program(program)
        self.folder = self._make_folder()
        self.socket = f"{self.folder}/seam.sock"
        command = [self.program, "--socket", self.socket, "--ready-fd", "1", "--log-level", "warning"]
        for file in plugins:
            command += ["--plugin", os.path.abspath(file)]
        for folder in plugin_dirs:
            command += ["--plugin-dir", os.path.abspath(folder)]
        try:
            with open(f"{self.folder}/log", "wb") as log:
                self._process = subprocess.Popen(
                    ["sh", "-c", _KEEPER, self.folder, *command, *arguments],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    env=None if environment is None else dict(environment),
                    # Ctrl-C is for the program, which then ends its daemon when it is ready to.
                    start_new_session=True,
                )
        except OSError as problem:
            self._remove_folder()
            raise ConnectError(f"{self.program} cannot be started: {problem}") from None
        _all.add(self)
        paths.PRIVATE.add(self.socket)

    @property
    def timeout(self) -> float:
        """How many seconds the start may take."""
        return self._timeout

    def ready_descriptor(self) -> int:
        """Can be read from once it listens, or has ended without."""
        assert self._process is not None and self._process.stdout is not None
        return self._process.stdout.fileno()

    def started(self, is_ready: bool) -> None:
        """Raises unless it listens now. To be called when ready_descriptor() can be read, or no longer waited for."""
        if is_ready and os.read(self.ready_descriptor(), 1):
            return
        said = self.log().strip()
        code = self.close()
        reason = f"it ended with status {code}" if is_ready else f"it did not listen within {self._timeout:g} s"
        raise ConnectError(f"{self.program} does not listen: {reason}{': ' + said if said else ''}")

    def listens(self) -> bool:
        """Whether it is still there."""
        with socket.socket(socket.AF_UNIX) as probe:
            # A full queue is that of a daemon which is there and busy.
            probe.setblocking(False)
            return probe.connect_ex(self.socket) in (0, errno.EAGAIN)

    def log(self) -> str:
        """What it has written on standard error."""
        try:
            with open(f"{self.folder}/log", encoding="utf-8", errors="replace") as log:
                return log.read()
        except OSError:
            return ""

    @staticmethod
    def _make_folder() -> str:
        reasons = []
        for parent in (os.environ.get("XDG_RUNTIME_DIR"), os.environ.get("TMPDIR"), "/tmp"):
            if not parent or not parent.startswith("/"):
                continue
            if len(os.fsencode(parent)) + len("/seam-xxxxxxxx/seam.sock") > paths.LONGEST_PATH:
                reasons.append(f"{parent}: too long for a socket")
                continue
            try:
                return tempfile.mkdtemp(prefix="seam-", dir=parent)
            except OSError as problem:
                reasons.append(f"{parent}: {problem.strerror}")
        raise ConnectError(f"no folder for a private socket: {'; '.join(reasons)}")

    def _remove_folder(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def close(self) -> Optional[int]:
        """Ends it and removes its folder; harmless when done twice. Gives its exit status the first time.

        In a process that was forked off it does nothing: the daemon is that of the process which started it.
        """
        if self._owner != Here.pid:
            return None
        process, self._process = self._process, None
        if process is None:
            return None
        assert process.stdin is not None and process.stdout is not None
        process.stdin.close()
        try:
            code = process.wait(_ENDING)
        except subprocess.TimeoutExpired:
            # The keeper is not reaped yet, so the number is still that of its group.
            os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
        process.stdout.close()
        self._remove_folder()
        return code

    def _abandon(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            # It is no child of this process, which therefore need not wait for it.
            process.returncode = 0

    def __enter__(self) -> "Daemon":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_process", None) is not None:
            self.close()


def daemon_options(path: Optional[str], private: bool, **options: Any) -> Optional[Dict[str, Any]]:
    """What connect() was given for a private daemon; None when none is to be started."""
    given = {name: value for name, value in options.items() if value is not None and value != ()}
    if given and not private:
        raise TypeError(f"connect() takes {', '.join(given)} only with private=True")
    if private and path is not None:
        raise TypeError("connect() takes a path or private=True: a private daemon has a path of its own")
    for name in ("plugins", "plugin_dirs", "arguments"):
        if name in given:
            given[name] = _requests.paths_of(given[name], name)
    return given if private else None
