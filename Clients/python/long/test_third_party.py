"""JSON-RPC clients that nobody here wrote drive the daemon over its socket, as they come from PyPI.

Run by `make test-long`, in a virtual environment that has aiorpcX and jsonrpyc.
"""

import asyncio
import queue
import socket

import aiorpcx
import jsonrpyc
import pytest


class OverUnixSocket(aiorpcx.rawsocket.RSTransport):
    """aiorpcX's own transport. It reads a host and a port from the peer's name, which a Unix socket has not; those that
    come through a proxy are the ones where it does not look."""

    def connection_made(self, transport):
        self._proxy = self
        super().connection_made(transport)


class Session(aiorpcx.RPCSession):
    def __init__(self, *args, **named):
        super().__init__(*args, **named)
        self.events = asyncio.Queue()

    async def handle_request(self, request):
        assert isinstance(request, aiorpcx.Notification) and request.method == "seam.event"
        await self.events.put(request.args)


class Client(aiorpcx.rawsocket.RSClient):
    def __init__(self, path):
        super().__init__(session_factory=Session, transport=OverUnixSocket)
        self.path = path

    async def create_connection(self):
        return await self.loop.create_unix_connection(self.protocol_factory, self.path)


def test_aiorpcx_drives_a_lesson_and_takes_its_events(seam_daemon):
    async def scenario():
        async with Client(seam_daemon.socket) as session:
            made = await session.send_request("sim.create", {"scenario": "lessons.hosting-unassigned"})
            sim = made["sim"]
            opened = await session.send_request("sub.open", {"sim": sim})
            kinds = [(await session.events.get())["kind"] for _ in range(opened["count"] + 1)]
            assert kinds == ["state"] * 3 + ["sync"]
            await session.send_request("model.set", [sim, {"openCount": 7}])
            event = await session.events.get()
            assert (event["from"], event["to"], event["model"], event["shown"]) == ("matching", "stale", "7", "3")
            # A notification is carried out and gets no answer.
            await session.send_notification("bridge.assign", {"sim": sim, "bridge": "host"})
            assert (await session.events.get())["to"] == "matching"
            async with session.send_batch() as batch:
                batch.add_request("model.set", {"sim": sim, "values": {"openCount": 8}})
                batch.add_notification("bridge.assign", {"sim": sim, "bridge": "host"})
                batch.add_request("sim.check", {"sim": sim})
            assert batch.results[0]["changes"] == 1 and batch.results[1]["counts"]["matching"] == 3
            assert [(await session.events.get())["to"] for _ in range(2)] == ["stale", "matching"]
            with pytest.raises(aiorpcx.RPCError) as refused:
                await session.send_request("sim.get", {"sim": "nosuch"})
            assert refused.value.code == -32001 and "There is no simulation nosuch" in refused.value.message
            with pytest.raises(aiorpcx.RPCError) as refused:
                await session.send_request("sim.fly")
            assert refused.value.code == aiorpcx.JSONRPC.METHOD_NOT_FOUND
            many = [session.send_request("seam.ping") for _ in range(200)]
            assert len({one["daemonEpoch"] for one in await asyncio.gather(*many)}) == 1
            await session.send_request("sim.destroy", [sim])
            while (last := await session.events.get())["kind"] != "end":
                pass
            assert last["reason"] == "destroyed"

    asyncio.run(asyncio.wait_for(scenario(), 30))


class Target:
    """What jsonrpyc calls for a notification `seam.event`."""

    def __init__(self):
        self.seam = self
        self.events = queue.Queue()

    def event(self, **params):
        self.events.put(params)


def test_jsonrpyc_reads_replies_refusals_and_events(seam_daemon):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(seam_daemon.socket)
        target = Target()
        rpc = jsonrpyc.RPC(target, stdin=connection.makefile("rb"), stdout=connection.makefile("wb"))
        replies = queue.Queue()
        number = iter(range(1000, 2000))

        def call(method, params):
            # Its call() packs all parameters into `args` and `kwargs`, which is a convention of its own; the line and
            # the matching of its answer are the library's either way.
            identity = next(number)
            rpc._callbacks[identity] = lambda error, result=None: replies.put((error, result))
            rpc._write(jsonrpyc.Spec.request(method, id=identity, params=params))
            error, result = replies.get(timeout=20)
            if error is not None:
                raise error
            return result

        with pytest.raises(jsonrpyc.RPCInvalidParams) as refused:
            rpc("seam.ping", block=0.01, timeout=20)
        assert "args" in str(refused.value.data)
        sim = call("sim.create", {"scenario": "lessons.wrapping-filled"})["sim"]
        opened = call("sub.open", {"sim": sim})
        assert [target.events.get(timeout=20)["kind"] for _ in range(opened["count"] + 1)] == ["state"] * 2 + ["sync"]
        assert call("model.set", {"sim": sim, "values": {"rowCount": 9}})["changes"] == 1
        event = target.events.get(timeout=20)
        assert (event["field"], event["from"], event["to"], event["shown"]) == ("rowCount", "matching", "matching", "9")
        with pytest.raises(jsonrpyc.RPCMethodNotFound):
            call("sim.fly", [])
        with pytest.raises(jsonrpyc.RPCServerError) as refused:
            call("sim.get", ["nosuch"])
        assert refused.value.data == {"kind": "unknown-sim", "sim": "nosuch", "known": [sim]}
        with pytest.raises(jsonrpyc.RPCInvalidRequest):
            rpc._write("[]")
            rpc._callbacks[None] = lambda error, result=None: replies.put((error, result))
            rpc._write('{"jsonrpc":"2.0","id":null,"method":7}')
            raise replies.get(timeout=20)[0]
        assert call("sim.check", [sim])["counts"]["matching"] == 2
        assert call("sim.destroy", [sim])["sim"] == sim
        rpc.close(5)
