"""The asyncio side of a connection: the one of the calls, and one that is read only when asked to."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from typing import Any, Dict, Optional

from . import _wire, paths
from ._stream import Deadline, left
from .errors import Closed, Interrupted, SeamError, Timeout


async def readable(descriptor: int, deadline: Deadline, waits: "Optional[asyncio.Future[bool]]" = None) -> bool:
    """Waits until a descriptor can be read. Takes nothing from it, so that a cancelled wait loses nothing.

    Who settles `waits` ends the wait, and has taken the descriptor from the loop.
    """
    loop = asyncio.get_running_loop()
    ready: "asyncio.Future[bool]" = loop.create_future() if waits is None else waits

    def settle(value: bool) -> None:
        if not ready.done():
            loop.remove_reader(descriptor)
            ready.set_result(value)

    timer = None
    if deadline is not None:
        timer = loop.call_later(max(0.0, deadline - time.monotonic()), settle, False)
    loop.add_reader(descriptor, settle, True)
    try:
        return await ready
    except asyncio.CancelledError:
        if ready.cancelled():
            loop.remove_reader(descriptor)
        raise
    finally:
        if timer is not None:
            timer.cancel()


async def connected(path: str, deadline: Deadline) -> socket.socket:
    """A connected socket that does not block."""
    while True:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.setblocking(False)
        try:
            connection.connect(path)
            return connection
        except BlockingIOError:
            # The daemon takes no connections for the moment, and nothing tells when it will.
            connection.close()
            if deadline is not None and time.monotonic() >= deadline:
                raise Timeout(f"{path} took no connection within the time limit") from None
            await pause(0.02)
        except OSError as problem:
            connection.close()
            raise paths.explain(path, problem) from None
        except BaseException:
            connection.close()
            raise


async def pause(seconds: float) -> None:
    loop = asyncio.get_running_loop()
    over: "asyncio.Future[None]" = loop.create_future()

    def settle() -> None:
        if not over.done():
            over.set_result(None)

    timer = loop.call_later(seconds, settle)
    try:
        await over
    finally:
        timer.cancel()


class Wire:
    """A connection that is read only when asked to."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._waits: "Optional[asyncio.Future[bool]]" = None

    async def send(self, data: bytes, deadline: Deadline) -> None:
        loop = asyncio.get_running_loop()
        try:
            await asyncio.wait_for(loop.sock_sendall(self._socket, data), left(deadline))
        except asyncio.TimeoutError:
            raise Timeout("the daemon did not take a request within the time limit") from None
        except OSError:
            pass  # receive() finds what the peer said before it went, and the end

    def detach(self) -> socket.socket:
        """Gives the socket away."""
        return self._socket

    async def receive(self, deadline: Deadline) -> bytes:
        while True:
            self._waits = asyncio.get_running_loop().create_future()
            if not await readable(self._socket.fileno(), deadline, self._waits):
                raise Timeout("nothing came within the time limit")
            if self._socket.fileno() < 0:
                return b""
            try:
                return self._socket.recv(1 << 18)
            except (BlockingIOError, InterruptedError):
                continue
            except OSError:
                return b""  # a reset is an end like any other

    def close(self) -> None:
        waits = self._waits
        if waits is not None and not waits.done():
            # Somebody waits in receive(). The number of the descriptor may soon be another's, so it is taken back now.
            loop = waits.get_loop()
            if not loop.is_closed():
                loop.remove_reader(self._socket.fileno())
                waits.set_result(True)
        self._socket.close()


class Calls(asyncio.Protocol):
    """The connection of the calls: replies are matched to them by id, in whatever order they come."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._transport: Optional[asyncio.Transport] = None
        self._lines = _wire.LineBuffer()
        self._waiting: Dict[int, "asyncio.Future[Any]"] = {}
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._ending: Optional[SeamError] = None

    @property
    def is_open(self) -> bool:
        return self._ending is None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        try:
            self._lines.feed(data)
            line = self._lines.next()
            while line is not None:
                self._take(_wire.message(line))
                line = self._lines.next()
        except SeamError as problem:
            self.end(problem)

    def _take(self, message: Any) -> None:
        if isinstance(message, list):
            # The answer to a batch; the batch waits under the id of its first request.
            numbers = [one.get("id") for one in message if isinstance(one, dict)]
            number = next((one for one in numbers if one in self._waiting), None)
        elif _wire.is_event(message):
            return
        else:
            number = message.get("id")
            if number is None and "error" in message:
                # About the connection itself, or a batch as a whole.
                _wire.result(message, None)
        # An id that nobody waits for is that of a call that ran out of time.
        future = self._waiting.pop(number, None) if isinstance(number, int) else None
        if future is not None and not future.done():
            future.set_result(message)

    def pause_writing(self) -> None:
        self._may_write.clear()

    def resume_writing(self) -> None:
        self._may_write.set()

    def connection_lost(self, problem: Optional[BaseException]) -> None:
        if self._ending is None and self._transport is not None:
            # A write that failed ends a transport before it has read why, such as one line about a limit.
            try:
                while data := os.read(self._transport.get_extra_info("socket").fileno(), 1 << 18):
                    self.data_received(data)
            except OSError:
                pass
        self.end(Interrupted(f"the connection to {self._path} has ended"))

    def end(self, problem: SeamError) -> None:
        if self._ending is None:
            self._ending = problem
        if self._transport is not None:
            self._transport.abort()
        self._may_write.set()
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(problem)

    def forget(self) -> None:
        """Lets go of a transport whose event loop is closed, and with it the socket."""
        self._ending = Closed("the client was closed")
        self._transport = None

    async def ask(self, number: int, line: bytes, what: str, deadline: Deadline) -> Any:
        """Sends one line and gives the message that answers it."""
        reply: "asyncio.Future[Any]" = asyncio.get_running_loop().create_future()
        self._waiting[number] = reply
        try:
            return await asyncio.wait_for(self._exchange(line, reply), left(deadline))
        except asyncio.TimeoutError:
            raise Timeout(f"{what} was not answered within its time limit; it may still be carried out") from None
        finally:
            self._waiting.pop(number, None)
            reply.cancel()

    async def _exchange(self, line: bytes, reply: "asyncio.Future[Any]") -> Any:
        while not self._may_write.is_set():
            await self._may_write.wait()
        if self._ending is not None:
            raise self._ending
        assert self._transport is not None
        self._transport.write(line)
        return await reply


class Closing:
    """Waits, and is woken when the stream is closed."""

    def __init__(self) -> None:
        self._is_set = False
        self._waits: "Optional[asyncio.Future[None]]" = None

    def set(self) -> None:
        self._is_set = True
        waits = self._waits
        if waits is not None and not waits.done() and not waits.get_loop().is_closed():
            waits.set_result(None)

    async def wait(self, seconds: float) -> None:
        if not self._is_set:
            self._waits = asyncio.get_running_loop().create_future()
            await asyncio.wait([self._waits], timeout=seconds)
