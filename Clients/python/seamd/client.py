"""The asyncio client. Its twin without an event loop is `seamd.sync`; both have the same methods."""

from __future__ import annotations

import asyncio
import itertools
import socket
import time
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Dict,
    Generator,
    List,
    Mapping,
    NoReturn,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
)

from . import _process, _requests, _wire, paths, results
from ._connection import Calls, Closing, Wire, connected, readable
from ._process import Here
from ._requests import Clock, Interim, Item, Lifetime, Match, Mode, Only, Request, Scene, Value
from ._stream import Deadline, Host, Stream, after as _after, ask, left
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
    WrongLoop,
    WrongProcess,
)
from .events import Change, Cursor, Event, State, Verdict
from .version import __version__

T = TypeVar("T")

_NAME = f"seamd-client {__version__} (python, asyncio)"

_OTHER_LOOP = (
    "this client belongs to another event loop, the one it was opened in; connect once for each loop, or use seamd.sync, "
    "which needs none"
)


class _Host(Host):
    """What a client is to its streams, with asyncio."""

    name = _NAME

    async def open(self, deadline: Deadline) -> Wire:
        return Wire(await connected(self.path, deadline))

    def closing(self) -> Closing:
        return Closing()


class Watch:
    """A stream of events: `async for event in sim.watch()`.

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

    async def opened(self, timeout: Optional[float] = None) -> "Watch":
        """Subscribes now rather than at the first event, so that nothing that happens from here on is missed."""
        self._client._check()
        await self._stream.open(_after(self._client.timeout if timeout is None else timeout))
        return self

    async def next(self, timeout: Optional[float] = None) -> Optional[Event]:
        """The next event, None after the last; raises Timeout, after which the stream can be used on."""
        self._client._check()
        return await self._stream.next(_after(timeout))

    async def aclose(self) -> None:
        self._stream.close()

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        self._client._check()
        event = await self._stream.next()
        if event is None:
            raise StopAsyncIteration
        return event

    async def __aenter__(self) -> "Watch":
        return await self.opened()

    async def __aexit__(self, *_: object) -> None:
        self._stream.close()

    def __del__(self) -> None:
        stream = getattr(self, "_stream", None)
        if stream is not None:
            stream.close()


class Simulation:
    """A simulation. In an `async with` block it is destroyed at the end of the block, if this client created it."""

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

    async def _perform(self, request: Request[T]) -> T:
        self._check()
        return await self.client._perform(request)

    async def _perform_by(self, request: Request[T], deadline: Deadline) -> T:
        self._check()
        return await self.client._perform_by(request, deadline)

    async def send(
        self, event: str, args: Optional[Mapping[str, Value]] = None, /, *, mount: Optional[int] = None,
        if_seq: Optional[int] = None, interim: Optional[Interim] = None, **named: Value,
    ) -> results.Turn:  # fmt: skip
        """Sends an event that the scenario declares; arguments by name or as a mapping."""
        return await self._perform(_requests.send(self.id, event, args, named, mount, if_seq, interim))

    async def set(
        self, values: Optional[Mapping[str, Value]] = None, /, *, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None, **named: Value,
    ) -> results.Turn:  # fmt: skip
        """Writes values of the model, in one turn: `set(openCount=5)`."""
        return await self._perform(_requests.model_set(self.id, values, named, if_seq, interim))

    async def clear(
        self, *keys: str, if_seq: Optional[int] = None, interim: Optional[Interim] = None
    ) -> results.Turn:
        """Takes values of the model away."""
        return await self._perform(_requests.model_clear(self.id, keys, if_seq, interim))

    async def declare(
        self, screen: str, *fields: str, if_seq: Optional[int] = None, interim: Optional[Interim] = None
    ) -> results.Turn:
        """Says which fields a screen of a `live` simulation has."""
        return await self._perform(_requests.screen_declare(self.id, screen, fields, if_seq, interim))

    async def show(
        self, screen: str, values: Optional[Mapping[str, Value]] = None, /, *, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None, **named: Value,
    ) -> results.Turn:  # fmt: skip
        """Tells what a screen of a `live` simulation really shows: `show("Toolbar", count=3)`."""
        return await self._perform(_requests.screen_set(self.id, screen, values, named, if_seq, interim))

    async def hide(
        self, screen: str, *keys: str, if_seq: Optional[int] = None, interim: Optional[Interim] = None
    ) -> results.Turn:
        """Tells that a screen of a `live` simulation no longer shows these; without keys, that it shows nothing."""
        if keys:
            return await self._perform(_requests.screen_clear(self.id, screen, keys, if_seq, interim))
        deadline = _after(self.client.timeout)
        for attempt in range(_requests.ATTEMPTS):
            found, seq = await self._fields_by(deadline, screen, None)
            names = [one.field for one in found]
            # On condition that nothing has come to the screen since it was looked at.
            request = _requests.screen_clear(self.id, screen, names, seq if if_seq is None else if_seq, interim)
            try:
                return await self._perform_by(request, deadline)
            except ConflictError:
                if if_seq is not None or attempt + 1 == _requests.ATTEMPTS:
                    raise
        raise AssertionError("the last attempt has returned or raised")

    async def assign(
        self, bridge: str, mount: Optional[int] = None, *, built: Optional[bool] = None, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Assigns the root view of an embedding anew; with `built`, what build() has made."""
        return await self._perform(_requests.bridge("assign", self.id, bridge, mount, if_seq, interim, built=built))

    async def build(
        self, bridge: str, mount: Optional[int] = None, *, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Runs the builder of an embedding and assigns nothing: that is for `assign(…, built=True)`."""
        return await self._perform(_requests.bridge("build", self.id, bridge, mount, if_seq, interim))

    async def update(
        self, bridge: str, mount: Optional[int] = None, *, cause: Optional[str] = None, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Makes a wrapping's update run once more."""
        return await self._perform(_requests.bridge("update", self.id, bridge, mount, if_seq, interim, cause=cause))

    async def mount(
        self, bridge: str, *, if_seq: Optional[int] = None, interim: Optional[Interim] = None
    ) -> results.Turn:
        """Places a bridge once more; `mount` of the result is its number."""
        return await self._perform(_requests.bridge("mount", self.id, bridge, None, if_seq, interim))

    async def unmount(
        self, bridge: str, mount: Optional[int] = None, *, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Takes a bridge off its screen."""
        return await self._perform(_requests.bridge("unmount", self.id, bridge, mount, if_seq, interim))

    async def dismiss(
        self, bridge: str, mount: Optional[int] = None, *, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Takes a bridge off its screen as the user does, unasked by the model."""
        return await self._perform(_requests.bridge("dismiss", self.id, bridge, mount, if_seq, interim))

    async def items(
        self, bridge: str, items: Sequence[Item], *, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Says what a list shows, in order: ids, or `{"id": …, "value": …}`. Each item is a mount."""
        listed = _requests.listed_items(items)
        return await self._perform(_requests.bridge("items", self.id, bridge, None, if_seq, interim, items=listed))

    async def identify(
        self, bridge: str, identity: str, mount: Optional[int] = None, *, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Gives what stands in a place an id; another id is another view."""
        return await self._perform(
            _requests.bridge("identify", self.id, bridge, mount, if_seq, interim, identity=identity)
        )

    async def rebind(
        self, bridge: str, owner: str, mount: Optional[int] = None, *, if_seq: Optional[int] = None,
        interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Gives a control to another owner, as a recycled cell is."""
        return await self._perform(_requests.bridge("rebind", self.id, bridge, mount, if_seq, interim, owner=owner))

    async def set_host(
        self, bridge: str, mount: Optional[int] = None, *, window: Optional[bool] = None, scene: Optional[Scene] = None,
        hidden: Optional[bool] = None, size: Optional[bool] = None, parked: Optional[bool] = None,
        if_seq: Optional[int] = None, interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Says where the system has put a mounted view: in a window, in a scene `active` or `inactive`, hidden, …"""
        return await self._perform(
            _requests.host_set(
                self.id, bridge, mount, if_seq, interim,
                window=window, scene=scene, hidden=hidden, size=size, parked=parked,
            )
        )  # fmt: skip

    async def set_environment(
        self, values: Mapping[str, Value], bridge: Optional[str] = None, mount: Optional[int] = None, *,
        if_seq: Optional[int] = None, interim: Optional[Interim] = None,
    ) -> results.Turn:  # fmt: skip
        """Sets values of the environment: of the root, or of one bridge and what lies in it. None clears."""
        return await self._perform(_requests.environment_set(self.id, values, bridge, mount, if_seq, interim))

    async def mounts(self, bridge: Optional[str] = None) -> List[results.Mount]:
        """The mounts there are, of one bridge or of all."""
        deadline = _after(self.client.timeout)
        for _ in range(_requests.ATTEMPTS):
            before = await self._perform_by(_requests.get(self.id, limit=1), deadline)
            found: List[results.Mount] = []
            start: Optional[int] = None
            while True:
                page = await self._perform_by(_requests.mounts(self.id, bridge, start), deadline)
                found += results.items("mounts", results.mount)(page)
                start = page.get("next")
                if start is None:
                    break
            if len(found) == len(page["mounts"]):
                return found
            # Pages of a list that changed in between do not join up, and say nothing of it themselves.
            behind = await self._perform_by(_requests.get(self.id, limit=1), deadline)
            if (before["epoch"], before["turn"]) == (behind["epoch"], behind["turn"]):
                return found
        raise Unsettled(f"the simulation {self.id} changes faster than the pages of its mounts can be read")

    async def advance(self, ms: int, *, if_seq: Optional[int] = None) -> results.Turn:
        """Moves the virtual clock on."""
        return await self._perform(_requests.advance(self.id, ms, if_seq))

    async def check(
        self, *fields: str, screen: Optional[str] = None, label: Optional[str] = None, at: Optional[int] = None,
        at_turn: Optional[int] = None, why: Optional[bool] = None, whole: Optional[bool] = None,
    ) -> results.Check:  # fmt: skip
        """Judges fields, or all of them, and says what only a check can tell; `whole`: with values that are not cut."""
        return await self._perform(_requests.check(self.id, fields, screen, label, at, at_turn, why, whole))

    async def info(self, *, at: Optional[int] = None, at_turn: Optional[int] = None) -> Dict[str, Any]:
        """The simulation itself, as it is now or was at a seq or when a turn had settled: scenario, epoch, seq, turn,
        ms, status. Not its fields."""
        found = await self._perform(_requests.get(self.id, limit=1, at=at, atTurn=at_turn))
        return {name: value for name, value in found.items() if name not in ("fields", "next")}

    async def fields(
        self, screen: Optional[str] = None, *, at: Optional[int] = None, at_turn: Optional[int] = None,
        whole: Optional[bool] = None,
    ) -> List[results.Field]:  # fmt: skip
        """All fields, as they are now or were at a seq or when a turn had settled, in the order of their declaration:
        of one moment, so that when the simulation changes between two pages, all are read again."""
        return (await self._fields_by(_after(self.client.timeout), screen, at, at_turn, whole))[0]

    async def _fields_by(
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
                page = await self._perform_by(request, deadline)
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

    async def explain(self, field: str) -> results.Explanation:
        """Why Screen.field has the verdict that it has."""
        return await self._perform(_requests.explain(self.id, field))

    async def trace(
        self, first: Optional[int] = None, last: Optional[int] = None, *, limit: Optional[int] = None
    ) -> List[results.Record]:
        """The calls of the turns from `first` to `last`; at most `limit` of them."""
        found: List[results.Record] = []
        deadline = _after(self.client.timeout)
        skip: Optional[int] = None
        while True:
            left = None if limit is None else limit - len(found)
            page = await self._perform_by(_requests.trace(self.id, first, last, left, skip), deadline)
            found += results.items("records", results.record)(page)
            first, skip = page.get("next"), None
            if page.get("omitted") and found:
                # A turn that is too long for a page: go on behind what has come of it.
                first = found[-1].turn
                skip = sum(one.turn == first for one in found)
            if first is None or (limit is not None and len(found) >= limit):
                return found

    async def fork(self, id: Optional[str] = None, *, at: Optional[int] = None, at_turn: Optional[int] = None
    ) -> "Simulation":  # fmt: skip
        """A new simulation that goes on from here, or from a seq, or from where a turn had settled."""
        made = await self._perform(_requests.fork(self.id, id, at, at_turn))
        return Simulation(self.client, str(made["sim"]), made.get("epoch"), is_own=True)

    async def record(self, path: str) -> results.Recording:
        """Begins to record into a file of the daemon's machine."""
        return await self._perform(_requests.record(self.id, path))

    async def stop_recording(self) -> results.Recording:
        """Ends the recording."""
        return await self._perform(_requests.stop_recording(self.id))

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

    async def wait_for(
        self, field: str, verdict: Verdict = "matching", *, timeout: Optional[float] = _requests.CALL_SECONDS
    ) -> Union[State, Change]:
        """Waits until Screen.field has a verdict; gives the line that said so. Raises Timeout with what it has instead."""
        waiting = Waiting(self.id, field, verdict, timeout)
        deadline = _after(timeout)
        watch = self.watch(field)
        self.client._check()
        try:
            while True:
                event = await watch._stream.next(deadline)
                found = waiting.take(event)
                if found is not None:
                    return found
                if waiting.wants_names(event):
                    waiting.names([one.name for one in (await self._fields_by(deadline, None, None))[0]])
        except Timeout:
            raise waiting.in_vain() from None
        finally:
            watch._stream.close()

    async def destroy(self) -> None:
        """Ends the simulation. Harmless when that was done."""
        if not self._is_destroyed:
            await self._perform(_requests.destroy(self.id))
            self._is_destroyed = True

    async def __aenter__(self) -> "Simulation":
        return self

    async def __aexit__(self, kind: Optional[type], *_: object) -> None:
        if not self._is_own:
            return
        try:
            await self.destroy()
        except SeamError as problem:
            # What ended the block is worth more than what its clean-up found; and a daemon that went took it along.
            gone = isinstance(problem, CallError) and problem.kind == "unknown-sim"
            if kind is None and not gone and not isinstance(problem, (ConnectError, Interrupted, Closed, WrongProcess)):
                raise


class _Creation:
    """A simulation to be: `sim = await client.create(…)`, or `async with client.create(…) as sim`."""

    def __init__(
        self, client: "Client", request: Request[Dict[str, Any]], recorder: Optional[_requests.Recorder]
    ) -> None:
        self._client = client
        self._request = request
        self._recorder = recorder
        self._made: Optional[Simulation] = None

    async def _make(self) -> Simulation:
        made = await self._client._perform(self._request)
        if self._recorder is not None:
            self._recorder.began(self._request.params["record"], made["sim"])
        return Simulation(self._client, str(made["sim"]), made.get("epoch"), is_own=True)

    def __await__(self) -> Generator[Any, None, Simulation]:
        return self._make().__await__()

    if not TYPE_CHECKING:  # a checker finds the mistake itself

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(
                f"no simulation is made yet, so it has no {name}: write `sim = await client.create(…)`, or "
                "`async with client.create(…) as sim`"
            )

        def __enter__(self) -> NoReturn:
            raise TypeError("write `async with client.create(…)`; `with` alone is for seamd.sync")

        def __exit__(self, *_: object) -> None: ...

    async def __aenter__(self) -> Simulation:
        self._made = await self._make()
        return self._made

    async def __aexit__(self, kind: Optional[type], problem: object, trace: object) -> None:
        assert self._made is not None
        await self._made.__aexit__(kind, problem, trace)


class Client:
    """A connection to a daemon. Belongs to the event loop that it was opened in.

    Calls may run side by side. One that finds the connection gone connects anew; one that is interrupted by it says so.
    """

    def __init__(self, path: str, *, timeout: Optional[float] = _requests.CALL_SECONDS, daemon: Optional[Daemon] = None) -> None:
        self.path = path
        self.timeout = _requests.seconds(timeout)
        self.daemon = daemon
        """The private daemon that ends with this client, if there is one."""
        self._host = _Host(path)
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._calls: Optional[Calls] = None
        self._opening: Optional[asyncio.Lock] = None
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
        loop = asyncio.get_running_loop()
        if self._loop is None:
            self._loop = loop
        elif self._loop is not loop:
            raise WrongLoop(_OTHER_LOOP)

    async def open(self) -> "Client":
        """Connects and greets; done by `async with` and `await connect()`."""
        return await self._open_by(_after(self.timeout))

    async def _open_by(self, deadline: Deadline) -> "Client":
        self._check()
        await self._connection(deadline)
        return self

    async def _connection(self, deadline: Deadline) -> Calls:
        if self._calls is not None and self._calls.is_open:
            return self._calls
        if self._opening is None:
            self._opening = asyncio.Lock()
        if self._opening.locked():
            try:
                await asyncio.wait_for(self._opening.acquire(), left(deadline))
            except asyncio.TimeoutError:
                raise Timeout("another call did not get its connection within the time limit of this one") from None
        else:
            await self._opening.acquire()
        try:
            self._check()
            if self._calls is not None and self._calls.is_open:
                return self._calls
            wire = Wire(await connected(self.path, deadline))
            calls = Calls(self.path)
            try:
                # By hand: a transport that cannot write the greeting would not read why, such as `denied`.
                hello = _requests.hello(_NAME, _wire.LONGEST_LINE)
                greeting = await ask(wire, _wire.LineBuffer(), 0, hello, self.path, deadline)
                await asyncio.get_running_loop().create_unix_connection(lambda: calls, sock=wire.detach())
            except BaseException:
                wire.close()
                raise
            if self._is_closed:
                calls.end(Closed("the client was closed"))
                raise Closed("the client was closed")
            self._hello = greeting
            self._methods = None
            self._calls = calls
            return calls
        finally:
            self._opening.release()

    async def _perform(self, request: Request[T], timeout: Optional[float] = None) -> T:
        return await self._perform_by(request, _after(self.timeout if timeout is None else timeout))

    async def _perform_by(self, request: Request[T], deadline: Deadline) -> T:
        self._check()
        number = next(self._numbers)
        line = _wire.encode(_wire.request(number, request.method, request.params))
        calls = await self._connection(deadline)
        return request.parse(_wire.result(await calls.ask(number, line, request.method, deadline), request.method))

    async def call(
        self, method: str, params: Optional[Mapping[str, Any]] = None, /, *, timeout: Optional[float] = None, **named: Any
    ) -> Any:
        """Any method of the protocol, with its parameters by name; gives the result as it is."""
        _requests.not_a_subscription(method)
        return await self._perform(Request(method, _requests.merged(params, named, "params"), results.as_it_is), timeout)

    async def batch(
        self, requests: Sequence[Tuple[str, Mapping[str, Any]]], *, timeout: Optional[float] = None
    ) -> List[Any]:
        """Several requests in one line, at most 256. Their results in order; a CallError stands where one was refused."""
        if not requests:
            return []
        self._check()
        deadline = _after(self.timeout if timeout is None else timeout)
        numbered = [(next(self._numbers), method, params) for method, params in _requests.batched(requests)]
        line = _wire.encode([_wire.request(*one) for one in numbered])
        calls = await self._connection(deadline)
        reply = await calls.ask(numbered[0][0], line, "the batch", deadline)
        return _wire.batch_results(reply, [(number, method) for number, method, _ in numbered])

    def create(
        self, scenario: str, id: Optional[str] = None, *, params: Optional[Mapping[str, Value]] = None,
        policies: Optional[Mapping[str, Value]] = None, profile: Optional[str] = None, seed: Optional[int] = None,
        clock: Optional[Clock] = None, lifetime: Optional[Lifetime] = None, history: Optional[int] = None,
        record: Optional[str] = None, trace: Optional[bool] = None,
    ) -> _Creation:  # fmt: skip
        """Creates a simulation: `async with client.create("live") as sim`, which destroys it, or `await` it."""
        recorder = self._recorder if record is None else None
        if recorder is not None:
            record = recorder.file()
        request = _requests.create(
            scenario, id, params=params, policies=policies, profile=profile, seed=seed, clock=clock, lifetime=lifetime,
            history=history, record=record, trace=trace,
        )  # fmt: skip
        return _Creation(self, request, recorder)

    def simulation(self, id: str) -> Simulation:
        """One that is there already, or will be. It is not destroyed by `async with`."""
        return Simulation(self, id)

    async def simulations(self) -> List[results.SimulationInfo]:
        """All simulations of the daemon."""
        return await self._all("sim.list", "sims", results.simulation)

    async def scenarios(self) -> List[Dict[str, Any]]:
        """The scenarios that the daemon has: id, title, summary, plugin."""
        return await self._all("scenario.list", "scenarios", results.mapping)

    async def _all(self, method: str, name: str, parse: Any) -> List[Any]:
        deadline = _after(self.timeout)
        for _ in range(_requests.ATTEMPTS):
            pages = _requests.Pages(method, name)
            while not pages.is_torn:
                if pages.take(await self._perform_by(pages.request(), deadline)):
                    return [parse(one) for one in pages.found]
        raise Unsettled(f"the list of {method} changes faster than its pages can be read")

    async def describe(self, scenario: str) -> Dict[str, Any]:
        """All that a scenario says of itself."""
        return await self._perform(_requests.describe(scenario))

    async def run(
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
        return await self._perform(request, timeout)

    async def replay(self, path: str, *, id: Optional[str] = None, keep: Optional[bool] = None) -> Dict[str, Any]:
        """Plays a recording again and says whether it came out the same."""
        return await self._perform(_requests.replay(path, id, keep))

    def watch(
        self, match: Match = None, *, mode: Optional[Mode] = None, only: Optional[Only] = None,
        after: Optional[Cursor] = None, snapshot: bool = True, reconnect: Optional[float] = _requests.RECONNECT_SECONDS,
    ) -> Watch:  # fmt: skip
        """All simulations and those to come, in one stream; `match` is over sim/Screen.field, the rest as for one."""
        return Watch(self, _requests.subscribe(None, match, mode, only, after, snapshot), reconnect)

    async def policies(self) -> Dict[str, Any]:
        """The policies that create() and run() take, and the profiles: `{policies: […], profiles: […]}`."""
        return await self._perform(_requests.plain("policy.list"))

    async def ping(self) -> str:
        """The daemon's epoch, once what was asked before has been answered."""
        return str((await self._perform(_requests.plain("seam.ping")))["daemonEpoch"])

    @property
    def hello(self) -> Mapping[str, Any]:
        """What the daemon that answered last said of itself: version, pid, capabilities, limits."""
        return self._hello

    async def stats(self) -> Dict[str, Any]:
        """Counters of the daemon."""
        return await self._perform(_requests.plain("seam.stats"))

    async def discover(self) -> Dict[str, Any]:
        """The OpenRPC document of every method."""
        return await self._perform(_requests.discover())

    async def offers(self, method: str) -> bool:
        """Whether the daemon has a method, such as sim.explain, which older ones lack."""
        self._check()
        deadline = _after(self.timeout)
        await self._connection(deadline)
        if self._methods is None:
            document = await self._perform_by(_requests.discover(), deadline)
            self._methods = frozenset(one["name"] for one in document["methods"])
        return method in self._methods

    async def shutdown(self) -> None:
        """Ends the daemon."""
        await self._perform(_requests.plain("seam.shutdown"))

    async def aclose(self) -> None:
        """Ends the connection, and the private daemon, if there is one. Harmless when done twice."""
        if self._owner != Here.pid:
            return  # all of it is the parent's
        loop = asyncio.get_running_loop()
        is_orphan = self._loop is not None and self._loop.is_closed()
        if self._loop not in (None, loop) and not is_orphan and not self._is_closed:
            raise WrongLoop(_OTHER_LOOP)
        self._is_closed = True
        calls, self._calls = self._calls, None
        if calls is not None and is_orphan:
            calls.forget()
        elif calls is not None:
            calls.end(Closed("the client was closed"))
        self._host.close()
        if self.daemon is not None:
            await asyncio.get_running_loop().run_in_executor(None, self.daemon.close)

    async def __aenter__(self) -> "Client":
        return await self.open()

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class _Connection:
    """A client to be: `async with connect() as client`, or `client = await connect()`."""

    def __init__(self, path: Optional[str], timeout: Optional[float], options: Optional[Dict[str, Any]]) -> None:
        self._path = path
        self._timeout = timeout
        self._recorder: Optional[_requests.Recorder] = None
        self._options = options
        self._client: Optional[Client] = None

    async def _make(self) -> Client:
        client = await self._connected()
        client._recorder = self._recorder
        return client

    async def _connected(self) -> Client:
        deadline = _after(self._timeout)
        if self._options is None:
            return await Client(paths.socket_path(self._path), timeout=self._timeout)._open_by(deadline)
        daemon = Daemon(**self._options, timeout=START_SECONDS if self._timeout is None else self._timeout, wait=False)
        try:
            daemon.started(await readable(daemon.ready_descriptor(), _after(daemon.timeout)))
            return await Client(daemon.socket, timeout=self._timeout, daemon=daemon)._open_by(deadline)
        except BaseException:
            daemon.close()
            raise

    def __await__(self) -> Generator[Any, None, Client]:
        return self._make().__await__()

    if not TYPE_CHECKING:  # a checker finds the mistake itself

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(
                f"nothing is connected yet, so it has no {name}: write `client = await connect(…)`, or "
                "`async with connect(…) as client`. seamd.sync.connect() needs neither."
            )

        def __enter__(self) -> NoReturn:
            raise TypeError("write `async with connect(…)`; `with` alone is for seamd.sync")

        def __exit__(self, *_: object) -> None: ...

    async def __aenter__(self) -> Client:
        self._client = await self._make()
        return self._client

    async def __aexit__(self, *_: object) -> None:
        assert self._client is not None
        await self._client.aclose()


def connect(
    path: Optional[str] = None, *, timeout: Optional[float] = _requests.CALL_SECONDS, private: bool = False,
    plugins: Sequence[str] = (), plugin_dirs: Sequence[str] = (), arguments: Sequence[str] = (),
    program: Optional[str] = None, environment: Optional[Mapping[str, str]] = None,
) -> _Connection:  # fmt: skip
    """Connects to the daemon at `path`, or where `seam` would look for it.

    With `private=True` a daemon of one's own is started, which ends with the client; what follows are its options, see
    Daemon. `timeout` is that of every call, in seconds, and of connecting, with the start of that daemon.
    """
    options = daemon_options(
        path, private, plugins=plugins, plugin_dirs=plugin_dirs, arguments=arguments, program=program,
        environment=environment,
    )  # fmt: skip
    return _Connection(path, _requests.seconds(timeout), options)


__all__ = ["Client", "Simulation", "Watch", "connect"]
