"""The client for programs without an event loop; it uses none itself. Its twin for asyncio is `seamd`.

May be used from several threads: calls take turns. A Watch belongs to the thread that reads it; any may close it.
"""

from __future__ import annotations

import contextlib
import itertools
import socket
import threading
import time
from typing import Any, Coroutine, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from . import _process, _requests, _wire, paths, results
from ._process import Here
from ._requests import Clock, Interim, Item, Lifetime, Match, Mode, Only, Request, Scene, Value
from ._stream import Deadline, Host, Stream, after as _after
from ._wait import Waiting
from .daemon import START_SECONDS, Daemon, daemon_options
from .errors import (
    CallError,
    Closed,
    ConflictError,
    ConnectError,
    Interrupted,
    SeamError,
    Timeout,
    Unsettled,
    WrongProcess,
)
from .events import Change, Cursor, Event, State, Verdict
from .version import __version__

T = TypeVar("T")

_NAME = f"seamd-client {__version__} (python, blocking)"


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Runs what a stream has to do. It waits inside of _Wire and never suspends, so its first step is its last."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    raise AssertionError("a blocking stream has suspended")


class _Wire:
    """A connection, waited for here and now."""

    def __init__(self, path: str, deadline: Deadline) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._limit(deadline)
            self._socket.connect(path)
        except (BlockingIOError, socket.timeout):
            self._socket.close()
            raise Timeout(f"{path} took no connection within the time limit") from None
        except OSError as problem:
            self._socket.close()
            raise paths.explain(path, problem) from None
        except BaseException:
            self._socket.close()
            raise

    def _limit(self, deadline: Deadline) -> None:
        # 0 is not to wait at all, which fails as BlockingIOError.
        self._socket.settimeout(None if deadline is None else max(0.0, deadline - time.monotonic()))

    async def send(self, data: bytes, deadline: Deadline) -> None:
        self.write(data, deadline)

    async def receive(self, deadline: Deadline) -> bytes:
        return self.read(deadline)

    def write(self, data: bytes, deadline: Deadline) -> None:
        try:
            self._limit(deadline)
            self._socket.sendall(data)
        except (BlockingIOError, socket.timeout):
            raise Timeout("the daemon did not take a request within the time limit") from None
        except OSError:
            pass  # read() finds what the peer said before it went, and the end

    def read(self, deadline: Deadline) -> bytes:
        try:
            self._limit(deadline)
            return self._socket.recv(1 << 18)
        except (BlockingIOError, socket.timeout):
            raise Timeout("nothing came within the time limit") from None
        except OSError:
            return b""  # a reset is an end like any other

    def has_ended(self) -> bool:
        """Whether the other side has gone, and all that it said before is read."""
        try:
            # A socket with a time limit would wait for it before it looked.
            self._socket.settimeout(0)
            return not self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True

    def close(self) -> None:
        try:
            # Wakes a thread that waits in recv().
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._socket.close()


class _Closing:
    """Waits, and is woken when the stream is closed."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.set = self._event.set

    async def wait(self, seconds: float) -> None:
        self._event.wait(seconds)


class _Host(Host):
    """What a client is to its streams, without an event loop."""

    name = _NAME

    async def open(self, deadline: Deadline) -> _Wire:
        return _Wire(self.path, deadline)

    def closing(self) -> _Closing:
        return _Closing()


class Watch:
    """A stream of events: `for event in sim.watch()`.

    Reads only as fast as it is asked to. A consumer that is too slow gets a Lag from the daemon, and costs no memory.
    When the connection goes, it reconnects and resumes behind the last event: with no event lost or doubled, or with
    a Gap or Restarted that says so. Ends after an End; otherwise it raises why.
    """

    def __init__(self, client: "Client", params: Mapping[str, Any], reconnect: Optional[float]) -> None:
        client._check_process()
        self._client = client
        self._stream = Stream(client._host, params, timeout=client.timeout, reconnect=reconnect)

    @property
    def cursor(self) -> Optional[Cursor]:
        """The place behind the last event, for `watch(after=…)`; None until the snapshot is complete."""
        return self._stream.cursor

    def opened(self, timeout: Optional[float] = None) -> "Watch":
        """Subscribes now rather than at the first event, so that nothing that happens from here on is missed."""
        self._client._check()
        _run(self._stream.open(_after(self._client.timeout if timeout is None else timeout)))
        return self

    def next(self, timeout: Optional[float] = None) -> Optional[Event]:
        """The next event, None after the last; raises Timeout, after which the stream can be used on."""
        self._client._check()
        return _run(self._stream.next(_after(timeout)))

    def close(self) -> None:
        self._stream.close()

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        self._client._check()
        event = _run(self._stream.next())
        if event is None:
            raise StopIteration
        return event

    def __enter__(self) -> "Watch":
        return self.opened()

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def __del__(self) -> None:
        stream = getattr(self, "_stream", None)
        if stream is not None:
            stream.close()


class Simulation:
    """A simulation. In a `with` block it is destroyed at the end of the block, if this client created it."""

    def __init__(self, client: "Client", id: str, epoch: Optional[str] = None, is_own: bool = False) -> None:
        self.client = client
        self.id = id
        self.epoch = epoch
        """That of the simulation which this program made; None of one that was there. Another simulation that has taken
        its id since, such as after a restart, has another: `info()["epoch"]`."""
        self._is_own = is_own
        self._is_destroyed = False

    def __repr__(self) -> str:
        return f"<Simulation {self.id} at {self.client.path}>"

    def _check(self) -> None:
        if self._is_destroyed:
            raise Closed(f"the simulation {self.id} was destroyed")

    def _perform(self, request: Request[T]) -> T:
        self._check()
        return self.client._perform(request)

    def _perform_by(self, request: Request[T], deadline: Deadline) -> T:
        self._check()
        return self.client._perform_by(request, deadline)

    def send(
        self, event: str, args: Optional[Mapping[str, Value]] = None, /, *, mount: Optional[int] = None,
        if_seq: Optional[int] = None, interim: Optional[Interim] = None, **named: Value,
    ) -> results.Turn:  # fmt: skip
        """Sends an event that the scenario declares; arguments by name or as a mapping."""
        return self._perform(_requests.send(self.id, event, args, named, mount, if_seq, interim))

    def set(
        self, values: Optional[Mapping[str, Value]] = None, /, *, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None, **named: Value,
    ) -> results.Turn:  # fmt: skip
        """Writes values of the model, in one turn: `set(openCount=5)`."""
        return self._perform(_requests.model_set(self.id, values, named, if_seq, interim))

    def clear(
        self, *keys: str, if_seq: Optional[int] = None, interim: Optional[Interim] = None
    ) -> results.Turn:
        """Takes values of the model away."""
        return self._perform(_requests.model_clear(self.id, keys, if_seq, interim))

    def declare(
        self, screen: str, *fields: str, if_seq: Optional[int] = None, interim: Optional[Interim] = None
    ) -> results.Turn:
        """Says which fields a screen of a `live` simulation has."""
        return self._perform(_requests.screen_declare(self.id, screen, fields, if_seq, interim))

    def show(
        self, screen: str, values: Optional[Mapping[str, Value]] = None, /, *, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None, **named: Value,
    ) -> results.Turn:  # fmt: skip
        """Tells what a screen of a `live` simulation really shows: `show("Toolbar", count=3)`."""
        return self._perform(_requests.screen_set(self.id, screen, values, named, if_seq, interim))

    def hide(
        self, screen: str, *keys: str, if_seq: Optional[int] = None, interim: Optional[Interim] = None
    ) -> results.Turn:
        """Tells that a screen of a `live` simulation no longer shows these; without keys, that it shows nothing."""
        if keys:
            return self._perform(_requests.screen_clear(self.id, screen, keys, if_seq, interim))
        deadline = _after(self.client.timeout)
        for attempt in range(_requests.ATTEMPTS):
            found, seq = self._fields_by(deadline, screen, None)
            names = [one.field for one in found]
            # On condition that nothing has come to the screen since it was looked at.
            request = _requests.screen_clear(self.id, screen, names, seq if if_seq is None else if_seq, interim)
            try:
                return self._perform_by(request, deadline)
            except ConflictError:
                if if_seq is not None or attempt + 1 == _requests.ATTEMPTS:
                    raise
        raise AssertionError("the last attempt has returned or raised")

    def assign(
        self, bridge: str, mount: Optional[int] = None, *, built: Optional[bool] = None, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Assigns the root view of an embedding anew; with `built`, what build() has made."""
        return self._perform(_requests.bridge("assign", self.id, bridge, mount, if_seq, interim, built=built))

    def build(
        self, bridge: str, mount: Optional[int] = None, *, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Runs the builder of an embedding and assigns nothing: that is for `assign(…, built=True)`."""
        return self._perform(_requests.bridge("build", self.id, bridge, mount, if_seq, interim))

    def update(
        self, bridge: str, mount: Optional[int] = None, *, cause: Optional[str] = None, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Makes a wrapping's update run once more."""
        return self._perform(_requests.bridge("update", self.id, bridge, mount, if_seq, interim, cause=cause))

    def mount(
        self, bridge: str, *, if_seq: Optional[int] = None, interim: Optional[Interim] = None
    ) -> results.Turn:
        """Places a bridge once more; `mount` of the result is its number."""
        return self._perform(_requests.bridge("mount", self.id, bridge, None, if_seq, interim))

    def unmount(
        self, bridge: str, mount: Optional[int] = None, *, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Takes a bridge off its screen."""
        return self._perform(_requests.bridge("unmount", self.id, bridge, mount, if_seq, interim))

    def dismiss(
        self, bridge: str, mount: Optional[int] = None, *, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Takes a bridge off its screen as the user does, unasked by the model."""
        return self._perform(_requests.bridge("dismiss", self.id, bridge, mount, if_seq, interim))

    def items(
        self, bridge: str, items: Sequence[Item], *, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Says what a list shows, in order: ids, or `{"id": …, "value": …}`. Each item is a mount."""
        listed = _requests.listed_items(items)
        return self._perform(_requests.bridge("items", self.id, bridge, None, if_seq, interim, items=listed))

    def identify(
        self, bridge: str, identity: str, mount: Optional[int] = None, *, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Gives what stands in a place an id; another id is another view."""
        return self._perform(
            _requests.bridge("identify", self.id, bridge, mount, if_seq, interim, identity=identity)
        )

    def rebind(
        self, bridge: str, owner: str, mount: Optional[int] = None, *, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Gives a control to another owner, as a recycled cell is."""
        return self._perform(_requests.bridge("rebind", self.id, bridge, mount, if_seq, interim, owner=owner))

    def set_host(
        self, bridge: str, mount: Optional[int] = None, *, window: Optional[bool] = None, scene: Optional[Scene] = None,
        hidden: Optional[bool] = None, size: Optional[bool] = None, parked: Optional[bool] = None,
        if_seq: Optional[int] = None, interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Says where the system has put a mounted view: in a window, in a scene `active` or `inactive`, hidden, …"""
        return self._perform(
            _requests.host_set(
                self.id, bridge, mount, if_seq, interim,
                window=window, scene=scene, hidden=hidden, size=size, parked=parked,
            )
        )  # fmt: skip

    def set_environment(
        self, values: Mapping[str, Value], bridge: Optional[str] = None, mount: Optional[int] = None, *,
        if_seq: Optional[int] = None, interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Sets values of the environment: of the root, or of one bridge and what lies in it. None clears."""
        return self._perform(_requests.environment_set(self.id, values, bridge, mount, if_seq, interim))

    def mounts(self, bridge: Optional[str] = None) -> List[results.Mount]:
        """The mounts there are, of one bridge or of all."""
        deadline = _after(self.client.timeout)
        for _ in range(_requests.ATTEMPTS):
            before = self._perform_by(_requests.get(self.id, limit=1), deadline)
            found: List[results.Mount] = []
            start: Optional[int] = None
            while True:
                page = self._perform_by(_requests.mounts(self.id, bridge, start), deadline)
                found += results.items("mounts", results.mount)(page)
                start = page.get("next")
                if start is None:
                    break
            if len(found) == len(page["mounts"]):
                return found
            # Pages of a list that changed in between do not join up, and say nothing of it themselves.
            behind = self._perform_by(_requests.get(self.id, limit=1), deadline)
            if (before["epoch"], before["turn"]) == (behind["epoch"], behind["turn"]):
                return found
        raise Unsettled(f"the simulation {self.id} changes faster than the pages of its mounts can be read")

    def advance(self, ms: int, *, if_seq: Optional[int] = None) -> results.Turn:
        """Moves the virtual clock on."""
        return self._perform(_requests.advance(self.id, ms, if_seq))

    def check(
        self, *fields: str, screen: Optional[str] = None, label: Optional[str] = None, at: Optional[int] = None,
        at_turn: Optional[int] = None, why: Optional[bool] = None, whole: Optional[bool] = None,
    ) -> results.Check:  # fmt: skip
        """Judges fields, or all of them, and says what only a check can tell; `whole`: with values that are not cut."""
        return self._perform(_requests.check(self.id, fields, screen, label, at, at_turn, why, whole))

    def info(self, *, at: Optional[int] = None, at_turn: Optional[int] = None) -> Dict[str, Any]:
        """The simulation itself, as it is now or was at a seq or when a turn had settled: scenario, epoch, seq, turn,
        ms, status. Not its fields."""
        found = self._perform(_requests.get(self.id, limit=1, at=at, atTurn=at_turn))
        return {name: value for name, value in found.items() if name not in ("fields", "next")}

    def fields(
        self, screen: Optional[str] = None, *, at: Optional[int] = None, at_turn: Optional[int] = None,
        whole: Optional[bool] = None,
    ) -> List[results.Field]:  # fmt: skip
        """All fields, as they are now or were at a seq or when a turn had settled, in the order of their declaration:
        of one moment, so that when the simulation changes between two pages, all are read again."""
        return (self._fields_by(_after(self.client.timeout), screen, at, at_turn, whole))[0]

    def _fields_by(
        self, deadline: Deadline, screen: Optional[str], at: Optional[int] = None, at_turn: Optional[int] = None,
        whole: Optional[bool] = None,
    ) -> Tuple[List[results.Field], int]:
        """The fields, and the seq that they belong to."""
        for _ in range(_requests.ATTEMPTS):
            found: List[results.Field] = []
            moment: Any = None
            start: Optional[int] = None
            while True:
                wanted = {"screen": screen, "from": start, "at": at, "atTurn": at_turn, "whole": whole}
                request = _requests.get(self.id, **wanted)
                page = self._perform_by(request, deadline)
                place = (page.get("epoch"), page.get("seq"))
                if moment not in (None, place):
                    break
                moment = place
                found += results.items("fields", results.field)(page)
                start = page.get("next")
                if start is None:
                    return found, int(page.get("seq", 0))
        raise Unsettled(
            f"the simulation {self.id} changes faster than the pages of its fields can be read; "
            "watch() gives a snapshot that joins up"
        )

    def explain(self, field: str) -> results.Explanation:
        """Why Screen.field has the verdict that it has."""
        return self._perform(_requests.explain(self.id, field))

    def trace(
        self, first: Optional[int] = None, last: Optional[int] = None, *, limit: Optional[int] = None
    ) -> List[results.Record]:
        """The calls of the turns from `first` to `last`; at most `limit` of them."""
        found: List[results.Record] = []
        deadline = _after(self.client.timeout)
        skip: Optional[int] = None
        while True:
            left = None if limit is None else limit - len(found)
            page = self._perform_by(_requests.trace(self.id, first, last, left, skip), deadline)
            found += results.items("records", results.record)(page)
            first, skip = page.get("next"), None
            if page.get("omitted") and found:
                # A turn that is too long for a page: go on behind what has come of it.
                first = found[-1].turn
                skip = sum(one.turn == first for one in found)
            if first is None or (limit is not None and len(found) >= limit):
                return found

    def fork(self, id: Optional[str] = None, *, at: Optional[int] = None, at_turn: Optional[int] = None
    ) -> "Simulation":  # fmt: skip
        """A new simulation that goes on from here, or from a seq, or from where a turn had settled."""
        made = self._perform(_requests.fork(self.id, id, at, at_turn))
        return Simulation(self.client, str(made["sim"]), made.get("epoch"), is_own=True)

    def record(self, path: str) -> results.Recording:
        """Begins to record into a file of the daemon's machine."""
        return self._perform(_requests.record(self.id, path))

    def stop_recording(self) -> results.Recording:
        """Ends the recording."""
        return self._perform(_requests.stop_recording(self.id))

    def watch(
        self, match: Match = None, *, mode: Optional[Mode] = None, only: Optional[Only] = None,
        after: Optional[Cursor] = None, snapshot: bool = True, reconnect: Optional[float] = _requests.RECONNECT_SECONDS,
    ) -> Watch:  # fmt: skip
        """The fields as they are, then every change.

        `match`: globs over Screen.field, of which only `*` is special. `mode`: "latest" (the default) skips to the newest
        for a slow reader, "all" leaves nothing out, or says so. `only="verdicts"`: no changes whose verdict stays.
        `after`: a Cursor to go on behind, instead of the snapshot. `snapshot=False`: only what comes from now on.
        `reconnect`: for how many seconds a daemon that has gone is waited for; 0 is not at all, None without end.
        """
        self._check()
        params = _requests.subscribe(self.id, match, mode, only, after, snapshot)
        return Watch(self.client, params, reconnect)

    def wait_for(
        self, field: str, verdict: Verdict = "matching", *, timeout: Optional[float] = _requests.CALL_SECONDS
    ) -> Union[State, Change]:
        """Waits until Screen.field has a verdict; gives the line that said so. Raises Timeout with what it has instead."""
        waiting = Waiting(self.id, field, verdict, timeout)
        deadline = _after(timeout)
        watch = self.watch(field)
        self.client._check()
        try:
            while True:
                event = _run(watch._stream.next(deadline))
                found = waiting.take(event)
                if found is not None:
                    return found
                if waiting.wants_names(event):
                    waiting.names([one.name for one in (self._fields_by(deadline, None, None))[0]])
        except Timeout:
            raise waiting.in_vain() from None
        finally:
            watch._stream.close()

    def destroy(self) -> None:
        """Ends the simulation. Harmless when that was done."""
        if not self._is_destroyed:
            self._perform(_requests.destroy(self.id))
            self._is_destroyed = True

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, kind: Optional[type], *_: object) -> None:
        if not self._is_own:
            return
        try:
            self.destroy()
        except SeamError as problem:
            # What ended the block is worth more than what its clean-up found; and a daemon that went took it along.
            gone = isinstance(problem, CallError) and problem.kind == "unknown-sim"
            if kind is None and not gone and not isinstance(problem, (ConnectError, Interrupted, Closed, WrongProcess)):
                raise


class Client:
    """A connection to a daemon.

    A call that finds the connection gone connects anew; one that is interrupted by it says so.
    """

    def __init__(self, path: str, *, timeout: Optional[float] = _requests.CALL_SECONDS, daemon: Optional[Daemon] = None) -> None:
        self.path = path
        self.timeout = _requests.seconds(timeout)
        self.daemon = daemon
        """The private daemon that ends with this client, if there is one."""
        self._host = _Host(path)
        self._turn = threading.Lock()
        self._wire: Optional[_Wire] = None
        self._lines = _wire.LineBuffer()
        self._numbers = itertools.count(1)
        self._hello: Dict[str, Any] = {}
        self._methods: Optional[frozenset[str]] = None
        self._is_closed = False
        self._owner = Here.pid
        self._recorder: Optional[_requests.Recorder] = None
        _process.clients.add(self)

    def _check_process(self) -> None:
        if self._owner != Here.pid:
            raise WrongProcess(
                f"this client of {self.path} was made in process {self._owner}, from which this one was forked, and its "
                "connection is that one's; connect anew here"
            )

    def _check(self) -> None:
        if self._is_closed:
            self._check_process()
            raise Closed("the client was closed")

    def open(self) -> "Client":
        """Connects and greets; done by connect()."""
        return self._open_by(_after(self.timeout))

    def _open_by(self, deadline: Deadline) -> "Client":
        self._check()
        with self._take_turn(deadline):
            self._connection(deadline)
        return self

    def _connection(self, deadline: Deadline) -> _Wire:
        # Nobody waits between calls, so an end in between is only seen by looking.
        if self._wire is not None and self._wire.has_ended():
            self._drop()
        if self._wire is None:
            self._lines = _wire.LineBuffer()
            self._wire = _Wire(self.path, deadline)
            try:
                self._hello = self._exchange(_requests.hello(_NAME, _wire.LONGEST_LINE), deadline)
            except BaseException:
                self._drop()
                raise
            self._methods = None
        return self._wire

    def _drop(self) -> None:
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.close()

    def _exchange(self, request: Request[T], deadline: Deadline) -> T:
        number = next(self._numbers)
        line = _wire.encode(_wire.request(number, request.method, request.params))
        return request.parse(_wire.result(self._ask([number], line, request.method, deadline), request.method))

    def _ask(self, numbers: Sequence[int], line: bytes, what: str, deadline: Deadline) -> Any:
        """Sends one line and gives the message that answers it; the turn is the caller's."""
        wire = self._wire
        assert wire is not None
        is_whole = False
        try:
            wire.write(line, deadline)
            is_whole = True
            while True:
                answer = self._lines.next()
                if answer is None:
                    data = wire.read(deadline)
                    if not data:
                        raise Interrupted(f"the connection to {self.path} ended under {what}")
                    self._lines.feed(data)
                    continue
                message = _wire.message(answer)
                if isinstance(message, list):
                    if any(isinstance(one, dict) and one.get("id") in numbers for one in message):
                        return message
                elif not _wire.is_event(message):
                    if message.get("id") in numbers:
                        return message
                    if message.get("id") is None and "error" in message:
                        # About the connection itself, or a batch as a whole.
                        _wire.result(message, what)
                # Any other id is that of a call that ran out of time.
        except Timeout:
            if not is_whole:
                # Half of a line is out; what followed it would be read as its other half.
                self._drop()
            raise Timeout(f"{what} was not answered within its time limit; it may still be carried out") from None
        except BaseException:
            self._drop()
            if self._is_closed:
                raise Closed("the client was closed") from None
            raise

    def _perform(self, request: Request[T], timeout: Optional[float] = None) -> T:
        return self._perform_by(request, _after(self.timeout if timeout is None else timeout))

    def _perform_by(self, request: Request[T], deadline: Deadline) -> T:
        self._check()
        with self._take_turn(deadline):
            self._connection(deadline)
            return self._exchange(request, deadline)

    @contextlib.contextmanager
    def _take_turn(self, deadline: Deadline) -> Iterator[None]:
        limit = -1 if deadline is None else max(0.0, deadline - time.monotonic())
        if not self._turn.acquire(timeout=limit):
            raise Timeout("another thread's call did not end within the time limit of this one")
        try:
            self._check()
            yield
        finally:
            self._turn.release()

    def call(
        self, method: str, params: Optional[Mapping[str, Any]] = None, /, *, timeout: Optional[float] = None, **named: Any
    ) -> Any:
        """Any method of the protocol, with its parameters by name; gives the result as it is."""
        _requests.not_a_subscription(method)
        return self._perform(Request(method, _requests.merged(params, named, "params"), results.as_it_is), timeout)

    def batch(
        self, requests: Sequence[Tuple[str, Mapping[str, Any]]], *, timeout: Optional[float] = None
    ) -> List[Any]:
        """Several requests in one line, at most 256. Their results in order; a CallError stands where one was refused."""
        if not requests:
            return []
        self._check()
        deadline = _after(self.timeout if timeout is None else timeout)
        numbered = [(next(self._numbers), method, params) for method, params in _requests.batched(requests)]
        line = _wire.encode([_wire.request(*one) for one in numbered])
        with self._take_turn(deadline):
            self._connection(deadline)
            reply = self._ask([number for number, _, _ in numbered], line, "the batch", deadline)
        return _wire.batch_results(reply, [(number, method) for number, method, _ in numbered])

    def create(
        self, scenario: str, id: Optional[str] = None, *, params: Optional[Mapping[str, Value]] = None,
        policies: Optional[Mapping[str, Value]] = None, profile: Optional[str] = None, seed: Optional[int] = None,
        clock: Optional[Clock] = None, lifetime: Optional[Lifetime] = None, history: Optional[int] = None,
        record: Optional[str] = None, trace: Optional[bool] = None,
    ) -> Simulation:  # fmt: skip
        """Creates a simulation: `with client.create("live") as sim` destroys it at the end of the block."""
        recorder = self._recorder if record is None else None
        if recorder is not None:
            record = recorder.file()
        request = _requests.create(
            scenario, id, params=params, policies=policies, profile=profile, seed=seed, clock=clock, lifetime=lifetime,
            history=history, record=record, trace=trace,
        )  # fmt: skip
        made = self._perform(request)
        if recorder is not None and record is not None:
            recorder.began(record, made["sim"])
        return Simulation(self, str(made["sim"]), made.get("epoch"), is_own=True)

    def simulation(self, id: str) -> Simulation:
        """One that is there already, or will be. It is not destroyed by `with`."""
        return Simulation(self, id)

    def simulations(self) -> List[results.SimulationInfo]:
        """All simulations of the daemon."""
        return self._all("sim.list", "sims", results.simulation)

    def scenarios(self) -> List[Dict[str, Any]]:
        """The scenarios that the daemon has: id, title, summary, plugin."""
        return self._all("scenario.list", "scenarios", results.mapping)

    def _all(self, method: str, name: str, parse: Any) -> List[Any]:
        deadline = _after(self.timeout)
        for _ in range(_requests.ATTEMPTS):
            pages = _requests.Pages(method, name)
            while not pages.is_torn:
                if pages.take(self._perform_by(pages.request(), deadline)):
                    return [parse(one) for one in pages.found]
        raise Unsettled(f"the list of {method} changes faster than its pages can be read")

    def describe(self, scenario: str) -> Dict[str, Any]:
        """All that a scenario says of itself."""
        return self._perform(_requests.describe(scenario))

    def run(
        self, scenario: str, *, id: Optional[str] = None, params: Optional[Mapping[str, Value]] = None,
        policies: Optional[Mapping[str, Value]] = None, profile: Optional[str] = None, seed: Optional[int] = None,
        clock: Optional[Clock] = None, keep: Optional[bool] = None, steps: Optional[bool] = None,
        why: Optional[bool] = None, trace: Optional[bool] = None, timeout: Optional[float] = None,
    ) -> results.Run:  # fmt: skip
        """Plays a scenario's script and judges its checks."""
        request = _requests.run(
            scenario, id=id, params=params, policies=policies, profile=profile, seed=seed, clock=clock, keep=keep,
            steps=steps, why=why, trace=trace,
        )  # fmt: skip
        return self._perform(request, timeout)

    def replay(self, path: str, *, id: Optional[str] = None, keep: Optional[bool] = None) -> Dict[str, Any]:
        """Plays a recording again and says whether it came out the same."""
        return self._perform(_requests.replay(path, id, keep))

    def watch(
        self, match: Match = None, *, mode: Optional[Mode] = None, only: Optional[Only] = None,
        after: Optional[Cursor] = None, snapshot: bool = True, reconnect: Optional[float] = _requests.RECONNECT_SECONDS,
    ) -> Watch:  # fmt: skip
        """All simulations and those to come, in one stream; `match` is over sim/Screen.field, the rest as for one."""
        return Watch(self, _requests.subscribe(None, match, mode, only, after, snapshot), reconnect)

    def policies(self) -> Dict[str, Any]:
        """The policies that create() and run() take, and the profiles: `{policies: […], profiles: […]}`."""
        return self._perform(_requests.plain("policy.list"))

    def ping(self) -> str:
        """The daemon's epoch, once what was asked before has been answered."""
        return str((self._perform(_requests.plain("seam.ping")))["daemonEpoch"])

    @property
    def hello(self) -> Mapping[str, Any]:
        """What the daemon that answered last said of itself: version, pid, capabilities, limits."""
        return self._hello

    def stats(self) -> Dict[str, Any]:
        """Counters of the daemon."""
        return self._perform(_requests.plain("seam.stats"))

    def discover(self) -> Dict[str, Any]:
        """The OpenRPC document of every method."""
        return self._perform(_requests.discover())

    def offers(self, method: str) -> bool:
        """Whether the daemon has a method, such as sim.explain, which older ones lack."""
        deadline = _after(self.timeout)
        self._check()
        with self._take_turn(deadline):
            self._connection(deadline)
        if self._methods is None:
            document = self._perform_by(_requests.discover(), deadline)
            self._methods = frozenset(one["name"] for one in document["methods"])
        return method in self._methods

    def shutdown(self) -> None:
        """Ends the daemon."""
        self._perform(_requests.plain("seam.shutdown"))

    def close(self) -> None:
        """Ends the connection, and the private daemon, if there is one. Harmless when done twice."""
        if self._owner != Here.pid:
            return  # all of it is the parent's
        self._is_closed = True
        self._host.close()
        wire = self._wire
        if wire is not None:
            # Not dropped here: a thread that waits in it does that.
            wire.close()
        if self.daemon is not None:
            self.daemon.close()

    def __enter__(self) -> "Client":
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()


def connect(
    path: Optional[str] = None, *, timeout: Optional[float] = _requests.CALL_SECONDS, private: bool = False,
    plugins: Sequence[str] = (), plugin_dirs: Sequence[str] = (), arguments: Sequence[str] = (),
    program: Optional[str] = None, environment: Optional[Mapping[str, str]] = None,
) -> Client:  # fmt: skip
    """Connects to the daemon at `path`, or where `seam` would look for it.

    With `private=True` a daemon of one's own is started, which ends with the client; what follows are its options, see
    Daemon. `timeout` is that of every call, in seconds, and of connecting, with the start of that daemon.
    """
    options = daemon_options(
        path, private, plugins=plugins, plugin_dirs=plugin_dirs, arguments=arguments, program=program,
        environment=environment,
    )  # fmt: skip
    timeout = _requests.seconds(timeout)
    deadline = _after(timeout)
    if options is None:
        return Client(paths.socket_path(path), timeout=timeout)._open_by(deadline)
    daemon = Daemon(**options, timeout=START_SECONDS if timeout is None else timeout)
    try:
        return Client(daemon.socket, timeout=timeout, daemon=daemon)._open_by(deadline)
    except BaseException:
        daemon.close()
        raise


__all__ = ["Client", "Simulation", "Watch", "connect"]
