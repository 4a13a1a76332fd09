"""Follows one subscription over any number of connections.

Written once for both twins, as coroutines over a small interface: asyncio suspends in it, the blocking twin's methods
never do, so it runs them to their end by itself, without any event loop.

A stream has a connection of its own and reads from it only when asked for more than it has. So a slow consumer fills
the socket and nothing else: the daemon notices, and says `lag`.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections import deque
from typing import Any, Deque, Dict, List, Mapping, Optional, Protocol, TypeVar

from . import _requests, _wire, results
from ._process import Here
from .errors import (
    CallError,
    Closed,
    ConnectError,
    GoneError,
    Interrupted,
    LimitError,
    ProtocolError,
    SeamError,
    SeqInFutureError,
    ShuttingDownError,
    Timeout,
    UnknownSimError,
)
from .events import Change, Cursor, Diagnostic, End, Event, Gap, Mark, Restarted, SimulationEvent, State, Sync, event

T = TypeVar("T")

Deadline = Optional[float]
"""On the clock of time.monotonic()."""


def after(seconds: Optional[float]) -> Deadline:
    seconds = _requests.seconds(seconds)
    return None if seconds is None else time.monotonic() + seconds


def earlier(one: Deadline, other: Deadline) -> Deadline:
    return other if one is None else one if other is None else min(one, other)


def left(deadline: Deadline) -> Optional[float]:
    return None if deadline is None else max(0.0, deadline - time.monotonic())


class Wire(Protocol):
    """A connection."""

    async def send(self, data: bytes, deadline: Deadline) -> None:
        """Says nothing of a peer that has gone: what it said before it went may still be there to receive."""
        ...

    async def receive(self, deadline: Deadline) -> bytes:
        """What has come, at least one byte; nothing at the end."""
        ...

    def close(self) -> None: ...


class Closing(Protocol):
    """Waits before another attempt, and is woken by the end of the stream."""

    async def wait(self, seconds: float) -> None: ...

    def set(self) -> None: ...


class Host:
    """What a client is to its streams."""

    path: str
    name: str

    def __init__(self, path: str) -> None:
        self.path = path
        self._streams: "weakref.WeakSet[Stream]" = weakref.WeakSet()
        # A stream may be made in one thread while another closes the client.
        self._lock = threading.Lock()

    async def open(self, deadline: Deadline) -> Wire:
        raise NotImplementedError

    def closing(self) -> Closing:
        raise NotImplementedError

    def add(self, stream: "Stream") -> None:
        with self._lock:
            self._streams.add(stream)

    def close(self) -> None:
        """Ends every stream: who reads one is told at once."""
        with self._lock:
            streams: List[Stream] = list(self._streams)
        for stream in streams:
            stream.close("the client was closed")


class Stream:
    def __init__(self, host: Host, params: Mapping[str, Any], *, timeout: Optional[float], reconnect: Optional[float]) -> None:
        self._host = host
        self._sim: Optional[str] = params.get("sim")
        self._place = "seq" if self._sim is not None else "dseq"
        self._params: Dict[str, Any] = dict(params)
        self._timeout = timeout
        reconnect_for = _requests.seconds(reconnect, "reconnect")
        self._reconnect = float("inf") if reconnect_for is None else reconnect_for
        # Until when a daemon that has gone is waited for, over however many calls.
        self._patience: Deadline = None
        self._owner = Here.pid
        self._closing = host.closing()
        # Held by the one reader; a lock since two threads may try at the same moment.
        self._reading = threading.Lock()
        self._wire: Optional[Wire] = None
        self._lines = _wire.LineBuffer()
        self._ready: Deque[Event] = deque()
        self._epoch: Optional[str] = None
        self._daemon_epoch: Optional[str] = None
        self._is_same_daemon = True
        # Whether it has been said that another daemon runs, which has no such simulation yet.
        self._is_restart_told = False
        # Whether a part of a snapshot has come, and not its end.
        self._is_in_snapshot = False
        self._is_over = False
        self._closed: Optional[str] = None
        self._shutdown: Optional[End] = None
        given = params.get("after")
        self.cursor: Optional[Cursor] = Cursor(given["epoch"], given[self._place]) if given else None
        if given:
            self._epoch = given["epoch"]
        host.add(self)

    def close(self, why: str = "the stream was closed") -> None:
        if self._owner != Here.pid:
            # The connection is that of the process this one was forked from. Ending it would end it there too.
            return
        if self._closed is None:
            self._closed = why
        self._closing.set()
        self._drop()

    def _drop(self) -> None:
        wire, self._wire = self._wire, None
        self._lines = _wire.LineBuffer()
        if wire is not None:
            wire.close()

    def _take(self) -> None:
        if not self._reading.acquire(blocking=False):
            raise RuntimeError("the stream is being read already; each reader needs a watch() of its own")

    async def open(self, deadline: Deadline = None) -> None:
        """Subscribes, if that has not been done; raises what the daemon has against it."""
        self._take()
        try:
            if self._closed is not None:
                raise Closed(self._closed)
            if self._wire is None and not self._is_over:
                await self._open(deadline)
        finally:
            self._reading.release()

    async def next(self, deadline: Deadline = None) -> Optional[Event]:
        """The next event; None after the last."""
        while True:
            if self._ready:
                return self._ready.popleft()
            if self._closed is not None:
                raise Closed(self._closed)
            if self._is_over:
                return None
            wire = self._wire
            if wire is not None:
                line = self._lines.next()
                if line is not None:
                    found = self._read(line)
                    if found is not None:
                        return found
                    continue
            # Only what waits is held against a second reader; what has come already is given at full speed.
            self._take()
            try:
                if wire is None:
                    await self._open(deadline)
                    continue
                data = await wire.receive(deadline)
            finally:
                self._reading.release()
            if data:
                self._feed(data)
            elif self._closed is None:
                self._drop()
                if self._reconnect <= 0:
                    self._is_over = True
                    raise Interrupted(f"the connection to {self._host.path} has ended")

    def _feed(self, data: bytes) -> None:
        try:
            self._lines.feed(data)
        except ProtocolError:
            self._is_over = True
            self._drop()
            raise

    def _read(self, line: bytes) -> Optional[Event]:
        try:
            message = _wire.message(line)
            if not _wire.is_event(message):
                # Nothing is asked on this connection once it is subscribed.
                if isinstance(message, dict) and "error" in message:
                    _wire.result(message, "sub.open")
                return None
            found = event(line, message.get("params"))
        except SeamError:
            self._is_over = True
            self._drop()
            raise
        if isinstance(found, State) or (isinstance(found, SimulationEvent) and found.what == "exists"):
            # A line of a snapshot, which is no place to resume from before all of it is here.
            self._is_in_snapshot = True
        elif type(found) is Change or isinstance(found, (Diagnostic, SimulationEvent)):
            place = getattr(found, self._place, None)
            # What follows a lag has numbers in order, but what the client has seen is never forgotten.
            if self.cursor is not None and place is not None and place > self.cursor.seq:
                self.cursor = Cursor(self.cursor.epoch, place)
        elif isinstance(found, (Sync, Mark)):
            place = getattr(found, self._place, None)
            self._is_in_snapshot = False
            if place is not None and self._epoch is not None:
                self.cursor = Cursor(self._epoch, max(place, self.cursor.seq if self.cursor else 0))
        elif isinstance(found, End):
            if found.reason == "shutdown" and self._reconnect > 0:
                # Another daemon may follow, as when a service is started anew. If none does, this was the end.
                self._shutdown = found
                self._drop()
                return None
            if found.reason == "slow" and self._reconnect > 0:
                # The history ran away from this reader. What was lost on the way is nowhere, so it begins anew.
                self._begin_anew(Gap(after=self.cursor, reason="slow"))
                self._drop()
                return None
            self._is_over = True
            self._drop()
            if found.resume is not None:
                self.cursor = found.resume
        return found

    def _begin_anew(self, why: Event) -> None:
        """What was known holds no longer: the next subscription begins with a snapshot."""
        self._ready.append(why)
        self.cursor = None
        self._is_in_snapshot = False

    async def _open(self, deadline: Deadline) -> None:
        """By `deadline`, that of the call, which leaves the stream as it is; or by the patience, which ends it."""
        is_first = self._daemon_epoch is None
        if is_first:
            deadline = after(self._timeout) if deadline is None else deadline
        elif self._patience is None:
            self._patience = time.monotonic() + self._reconnect
        # Who comes back after the patience has run out still has an attempt.
        last = 0.0 if self._patience is None else max(self._patience, time.monotonic() + 1)
        wait = 0.01
        why: Optional[SeamError] = None
        while True:
            try:
                # One attempt may not take all of the patience: a daemon that hangs may be followed by another.
                limit = deadline if is_first else earlier(earlier(deadline, last), after(self._timeout))
                await self._subscribe(limit)
                self._shutdown = self._patience = None
                return
            except (ConnectError, Interrupted, Timeout, LimitError, ShuttingDownError, UnknownSimError) as problem:
                self._drop()
                if self._closed is not None:
                    raise Closed(self._closed) from None
                if is_first:
                    raise
                if why is None or not isinstance(problem, Timeout):
                    # The attempt that the caller's limit cuts short knows less than the one before it.
                    why = problem
                if isinstance(problem, UnknownSimError) and self._is_same_daemon:
                    # The daemon is the same, and the simulation went while nobody listened.
                    self._is_over = True
                    self._ready.append(End(reason="destroyed", sim=self._sim))
                    return
                if isinstance(problem, UnknownSimError) and not self._is_restart_told:
                    # Said at once: whoever makes the simulation anew may come much later, or never.
                    self._is_restart_told = True
                    self._begin_anew(Restarted(old=str(self._epoch)))
                    return
                assert self._patience is not None
                now = time.monotonic()
                if now + wait >= self._patience:
                    self._is_over = True
                    if self._shutdown is not None:
                        self._ready.append(self._shutdown)
                        return
                    if isinstance(problem, CallError):
                        raise
                    raise ConnectError(f"the daemon went, and within {self._reconnect:g} s: {problem}") from problem
                if deadline is not None and now >= deadline:
                    said = "the daemon does not answer" if isinstance(why, Timeout) else why
                    raise Timeout(f"nothing came within the time limit: {said}") from None
                await self._closing.wait(wait if deadline is None else min(wait, deadline - now))
                if self._closed is not None:
                    raise Closed(self._closed) from None
                wait = min(2 * wait, 0.5)
            except BaseException:
                self._drop()
                raise

    async def _subscribe(self, deadline: Deadline) -> None:
        wire = await self._host.open(deadline)
        self._wire = wire
        if self._closed is not None:
            # Looked at only now: who closes the stream from another thread finds the connection, or is found here.
            self._drop()
            raise Closed(self._closed)
        self._lines = _wire.LineBuffer()
        hello = _requests.hello(self._host.name, _wire.LONGEST_LINE)
        daemon = await ask(wire, self._lines, 1, hello, self._host.path, deadline)
        daemon_epoch = str(daemon.get("daemonEpoch"))
        # Until a subscription stands, every attempt is judged against the daemon that the last one was with.
        self._is_same_daemon = self._daemon_epoch in (None, daemon_epoch)

        if self._is_in_snapshot and self.cursor is None:
            self._begin_anew(Gap(reason="snapshot"))
        params = dict(self._params)
        params.pop("after", None)
        if self.cursor is not None:
            # What came before a cursor is known: no snapshot.
            params.pop("start", None)
            params["after"] = {"epoch": self.cursor.epoch, self._place: self.cursor.seq}
        try:
            opened = await self._open_subscription(wire, 2, params, deadline)
        except (GoneError, SeqInFutureError) as gone:
            params.pop("after")
            opened = await self._open_subscription(wire, 3, params, deadline)
            if opened["epoch"] == self._epoch:
                self._begin_anew(
                    Gap(after=self.cursor, oldest=gone.data.get("oldest"), latest=gone.data.get("latest"))
                )
            self.cursor = None
        epoch, place = opened["epoch"], opened.get(self._place)
        if self._epoch not in (None, epoch) and not self._is_restart_told:
            self._begin_anew(Restarted(old=str(self._epoch), new=epoch))
        self._is_restart_told = False
        self._epoch = epoch
        self._daemon_epoch = daemon_epoch
        if self.cursor is None and params.get("start") == "now" and isinstance(place, int):
            # Without a snapshot nothing is missing before the first line.
            self.cursor = Cursor(epoch, place)

    async def _open_subscription(self, wire: Wire, number: int, params: Any, deadline: Deadline) -> Dict[str, Any]:
        request = _requests.Request("sub.open", params, results.mapping)
        opened = await ask(wire, self._lines, number, request, self._host.path, deadline)
        if not isinstance(opened.get("epoch"), str):
            raise ProtocolError(f"sub.open was answered with {opened!r:.80}")
        return opened


async def ask(
    wire: Wire, lines: _wire.LineBuffer, number: int, request: _requests.Request[T], path: str, deadline: Deadline
) -> T:
    """One request and its reply, on a connection that nothing else is asked on meanwhile."""
    await wire.send(_wire.encode(_wire.request(number, request.method, request.params)), deadline)
    while True:
        line = lines.next()
        if line is None:
            try:
                data = await wire.receive(deadline)
            except Timeout:
                raise Timeout(f"{request.method} was not answered by {path} within the time limit") from None
            if not data:
                raise Interrupted(f"the connection to {path} ended under {request.method}")
            lines.feed(data)
            continue
        message = _wire.message(line)
        if isinstance(message, dict) and message.get("id") == number:
            return request.parse(_wire.result(message, request.method))
        if isinstance(message, dict) and "error" in message and message.get("id") is None:
            # About the connection itself, such as one too many.
            _wire.result(message, request.method)
