"""What goes wrong, each followed by proof that the client, or a new one, still works."""

import asyncio
import json
import os
import pickle
import re
import signal
import socket
import stat
import threading
import time

import pytest
from conftest import ROOT

import seamd
import seamd.sync
from seamd import errors


def hello(request):
    return {"protocol": {"major": 1, "minor": 0}, "daemonEpoch": "0" * 16, "pid": os.getpid()}


def answering(answer):
    """A script for Server: greets as a daemon does, then `answer(connection, request, number)`."""

    def script(connection, number):
        for line in connection.makefile("rb"):
            request = json.loads(line)
            if isinstance(request, dict) and request["method"] == "seam.hello":
                reply(connection, request["id"], hello(request))
            else:
                answer(connection, request, number)

    return script


def reply(connection, number, result):
    connection.sendall(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode() + b"\n")


WRONG_CALLS = [
    ("unknown-field", lambda sim: sim.check("A.nosuch"), seamd.UnknownFieldError, "nosuch"),
    ("unknown-screen", lambda sim: sim.check("x", screen="Nosuch"), seamd.UnknownScreenError, "Nosuch"),
    ("unknown-bridge", lambda sim: sim.assign("host"), seamd.UnknownBridgeError, "host"),
    ("unknown-event", lambda sim: sim.send("tick"), seamd.UnknownEventError, "tick"),
    ("bad-name", lambda sim: sim.show("A.B", x=1), seamd.BadNameError, "screen"),
    ("empty-name", lambda sim: sim.set({"": 1}), seamd.BadNameError, ""),
    ("value-not-text", lambda sim: sim.set(x=[1]), seamd.ValueNotTextError, "values.x"),
    ("nested", lambda sim: sim.set(x={"y": 1}), seamd.ValueNotTextError, "values.x"),
    ("value-too-large", lambda sim: sim.set(x="a" * 65_537), seamd.TooLargeError, ""),
    ("line-too-long", lambda sim: sim.set({f"k{n}": "a" * 60_000 for n in range(20)}), seamd.TooLargeError, ""),
    ("number-range", lambda sim: sim.set(x=10**400), seamd.NumberRangeError, ""),
    ("negative-time", lambda sim: sim.advance(-1), seamd.OutOfRangeError, "ms"),
    ("wrong-type", lambda sim: sim.advance("soon"), seamd.WrongTypeError, "ms"),
    ("unknown-method", lambda sim: sim.client.call("sim.fly"), seamd.UnknownMethodError, "sim.fly"),
    ("unknown-param", lambda sim: sim.client.call("sim.get", sim=sim.id, colour=1), seamd.UnknownParamError, "colour"),
    ("missing-param", lambda sim: sim.client.call("sim.get"), seamd.MissingParamError, "sim"),
    ("unknown-sim", lambda sim: sim.client.simulation("nosuch").fields(), seamd.UnknownSimError, "nosuch"),
    ("unknown-scenario", lambda sim: sim.client.run("nosuch"), seamd.UnknownScenarioError, "nosuch"),
    ("sim-exists", lambda sim: sim.client.create("live", sim.id), seamd.SimExistsError, ""),
    ("bad-policy", lambda sim: sim.client.create("live", policies={"updates": "never"}), seamd.OutOfRangeError, "updates"),
    ("no-value", lambda sim: sim.set(), ValueError, "name at least one"),
    ("no-number", lambda sim: sim.set(x=float("nan")), ValueError, "give a text instead"),
    ("infinite", lambda sim: sim.show("A", x=float("inf")), ValueError, "give a text instead"),
    ("half-a-surrogate", lambda sim: sim.set(x="\ud800"), ValueError, "surrogate"),
    ("itself", lambda sim: sim.client.call("sim.get", ITSELF), ValueError, ""),
    ("bytes", lambda sim: sim.set(x=b"1"), TypeError, "bytes"),
    ("no-field", lambda sim: sim.explain("x"), ValueError, "Screen.field"),
    ("subscription-by-hand", lambda sim: sim.client.call("sub.open", sim=sim.id), ValueError, "watch"),
    ("pattern", lambda sim: sim.wait_for("A.*"), ValueError, "pattern"),
    ("unknown-sim-watched", lambda sim: sim.client.simulation("nosuch").watch().opened(), seamd.UnknownSimError, "nosuch"),
    ("bad-mode", lambda sim: sim.watch(mode="some").opened(), seamd.OutOfRangeError, "mode"),
    ("future", lambda sim: future(sim), None, ""),
    ("bad-glob", lambda sim: sim.watch("").opened(), seamd.CallError, "match"),
]  # fmt: skip
ITSELF = {}
ITSELF["sim"] = ITSELF


async def future(sim):
    """A cursor from the future is no place: it is said, and the state told."""
    watch = await sim.watch(after=seamd.Cursor(sim.epoch, 10**6)).opened()
    assert isinstance(await watch.next(), seamd.Gap)
    await watch.aclose()


@pytest.mark.parametrize("call, error, part", [row[1:] for row in WRONG_CALLS], ids=[row[0] for row in WRONG_CALLS])
def test_a_wrong_call_is_refused_in_words_and_changes_nothing(twin, seam_daemon, call, error, part):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("live") as sim:
            await sim.show("A", x=1)
            before = (await sim.info())["seq"]
            if error is None:
                await call(sim)
            else:
                with pytest.raises(error) as refused:
                    await call(sim)
                assert part in str(refused.value)
            assert (await sim.info())["seq"] == before
            assert await client.ping()

    twin.play(scenario)


def test_after_its_end_a_thing_says_so(twin, seam_daemon):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client:
            sim = await client.create("live")
            watch = await sim.watch().opened()
            await sim.destroy()
            await sim.destroy()
            with pytest.raises(seamd.Closed, match=f"the simulation {sim.id} was destroyed"):
                await sim.set(x=1)
            assert await client.ping()
        for use in (client.ping, lambda: client.batch([("seam.ping", {})]), watch.next, client.watch().opened):
            with pytest.raises(seamd.Closed, match="the client was closed"):
                await use()
        await client.aclose()
        async with twin.connect(seam_daemon.socket) as other:
            assert await other.ping()

    twin.play(scenario)


def test_where_nobody_listens(twin, folder, start):
    async def refused(path):
        with pytest.raises(seamd.ConnectError) as problem:
            async with twin.connect(path):
                pass
        return str(problem.value)

    async def scenario():
        missing = f"{folder}/nosuch.sock"
        assert await refused(missing) == (
            f"no daemon listens at {missing}: there is no such file. Start one with: seamd --socket {missing}"
        )
        stale = f"{folder}/stale.sock"
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(stale)
        assert "one has been there and is gone" in await refused(stale)
        plain = f"{folder}/plain"
        with open(plain, "w"):
            pass
        assert plain in await refused(plain)
        assert "has 200 bytes, the system allows 107" in await refused("/" + "x" * 199)
        assert "NUL" in await refused("/a\0b")
        assert "empty" in await refused("")
        daemon = start()
        async with twin.connect(daemon.path) as client:
            assert await client.ping()

    twin.play(scenario)


def test_a_socket_of_somebody_else(twin, folder, start):
    daemon = start()
    if os.getuid() != 0:
        os.chmod(folder, 0)
        try:
            with pytest.raises(seamd.ConnectError, match="may not be used by this user"):
                twin.play(lambda: opened(twin, daemon.path))
        finally:
            os.chmod(folder, 0o700)
    else:
        # Root passes every mode, so a child looks at it as nobody. The folder lets it in, the socket does not.
        os.chmod(folder, 0o755)
        child = os.fork()
        if child == 0:
            os.setuid(65534)
            try:
                twin.play(lambda: opened(twin, daemon.path))
            except seamd.ConnectError as problem:
                os._exit(0 if "may not be used by this user" in str(problem) else 3)
            except BaseException:
                os._exit(4)
            os._exit(5)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        # And a socket that lets it in, at a daemon that does not: one -32012 line.
        os.chmod(daemon.path, 0o666)
        child = os.fork()
        if child == 0:
            os.setuid(65534)
            try:
                twin.play(lambda: opened(twin, daemon.path))
            except seamd.DeniedError:
                os._exit(0)
            except BaseException:
                os._exit(4)
            os._exit(5)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert twin.play(lambda: opened(twin, daemon.path))


async def opened(twin, path):
    async with twin.connect(path) as client:
        return await client.ping()


def test_paths_are_chosen_as_seam_chooses_them(tmp_path):
    choose = seamd.socket_path
    assert choose("/a", {"SEAM_SOCKET": "/b"}) == "/a"
    assert choose(None, {"SEAM_SOCKET": "/b", "XDG_RUNTIME_DIR": "/c"}) == "/b"
    assert choose(None, {"SEAM_SOCKET": "", "XDG_RUNTIME_DIR": "/c"}) == "/c/seam/seam.sock"
    user = f"/run/user/{os.getuid()}"
    for environment in ({}, {"XDG_RUNTIME_DIR": "relative"}):
        if os.path.isdir(user):
            assert choose(None, environment) == f"{user}/seam/seam.sock"
        else:
            with pytest.raises(seamd.ConnectError, match="SEAM_SOCKET is not set.*not (set|an absolute path)"):
                choose(None, environment)
    assert choose(tmp_path) == str(tmp_path)


def test_a_stopped_daemon_runs_into_the_time_limit_and_a_late_reply_is_passed_over(twin, start):
    daemon = start()

    async def scenario():
        async with twin.connect(daemon.path, timeout=5) as client:
            sim = await client.create("live", "app")
            await sim.show("A", x=0)
            daemon.signal(signal.SIGSTOP)
            begun = time.monotonic()
            with pytest.raises(seamd.Timeout, match="sim.get was not answered"):
                await client.call("sim.get", sim="app", timeout=0.1)
            with pytest.raises(seamd.Timeout, match="model.set"):
                await client.call("model.set", sim="app", values={"x": 1}, timeout=0.1)
            with pytest.raises(TimeoutError):
                await client.batch([("seam.ping", {})], timeout=0.1)
            assert time.monotonic() - begun < 3
            with pytest.raises(seamd.Timeout):
                async with twin.connect(daemon.path, timeout=0.1):
                    pass
            daemon.signal(signal.SIGCONT)
            # The replies of the three come first, and none is taken for this one's.
            assert [one.shown for one in await sim.fields()] == ["0"]
            assert (await sim.info())["turn"] == 3, "the change was carried out, though nobody waited for its answer"

    twin.play(scenario)


def test_a_watch_with_a_time_limit_can_be_used_on(twin, seam_daemon):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("live") as sim:
            await sim.show("A", x=1)
            watch = await sim.watch().opened()
            assert [type(await watch.next(1)) for _ in range(2)] == [seamd.State, seamd.Sync]
            with pytest.raises(seamd.Timeout):
                await watch.next(0.05)
            await sim.set(x=1)
            assert (await watch.next(5)).to == "matching"
            await watch.aclose()

    twin.play(scenario)


def test_a_cancelled_wait_loses_nothing(seam_daemon):
    async def scenario():
        async with seamd.connect(seam_daemon.socket) as client, client.create("live") as sim:
            await sim.show("A", x=0)
            watch = await sim.watch(mode="all", snapshot=False).opened()
            seen = []

            async def write():
                for value in range(1, 1001):
                    await sim.set(x=value)

            writer = asyncio.ensure_future(write())
            while len(seen) < 1000:
                task = asyncio.ensure_future(watch.__anext__())
                done, _ = await asyncio.wait({task}, timeout=0.0005)
                if not done:
                    task.cancel()
                try:
                    event = await task
                except asyncio.CancelledError:
                    continue
                if isinstance(event, seamd.Change):
                    seen.append(event.model)
            await writer
            assert seen == [str(value) for value in range(1, 1001)]
            await watch.aclose()

    asyncio.run(scenario())


def test_another_loop_is_told_apart(seam_daemon):
    kept = []

    async def open_one():
        client = await seamd.connect(seam_daemon.socket)
        kept.append((client, client.watch()))

    async def use():
        with pytest.raises(seamd.WrongLoop, match="belongs to another event loop"):
            await kept[0][0].ping()
        with pytest.raises(RuntimeError, match="seamd.sync"):
            await kept[0][1].next()

    loop = asyncio.new_event_loop()
    loop.run_until_complete(open_one())
    asyncio.run(use())

    async def works():
        assert await kept[0][0].ping()
        await kept[0][0].aclose()

    loop.run_until_complete(works())
    loop.close()


NONSENSE = [
    ("no JSON", b"SSH-2.0-OpenSSH_9.2\r\n", "not JSON"),
    ("HTTP", b"HTTP/1.1 400 Bad Request\r\n\r\n", "not JSON"),
    ("not UTF-8", b'{"id":1,"result":"\xff"}\n', "not JSON"),
    ("a number", b"42\n", "neither an object nor a batch"),
    ("two values", b'{"id":1,"result":{}} {}\n', "not JSON"),
    ("neither", b'{"jsonrpc":"2.0","id":NUMBER}\n', "neither result nor error"),
    ("an error without code", b'{"jsonrpc":"2.0","id":NUMBER,"error":{}}\n', "without a code"),
    ("an error that is none", b'{"jsonrpc":"2.0","id":NUMBER,"error":7}\n', "without a code"),
    ("deep", b'{"id":' + b"[" * 100_000 + b"\n", ""),
    ("no line end", b"x" * ((1 << 20) + 1), "longer than any that was asked for"),
    ("a result of another shape", b'{"jsonrpc":"2.0","id":NUMBER,"result":[]}\n', "an object was to come"),
]


@pytest.mark.parametrize("text, part", [row[1:] for row in NONSENSE], ids=[row[0] for row in NONSENSE])
def test_nonsense_is_no_answer(twin, serve, seam_daemon, text, part):
    """To the greeting, to a call and on a stream alike."""

    def greeted_with_nonsense(connection, number):
        line = connection.makefile("rb").readline()
        connection.sendall(text.replace(b"NUMBER", str(json.loads(line)["id"]).encode()))

    def nonsense(connection, request, number):
        connection.sendall(text.replace(b"NUMBER", str(request["id"]).encode()))

    async def scenario():
        with pytest.raises(seamd.ProtocolError, match=re.escape(part) or None):
            async with twin.connect(serve(greeted_with_nonsense, "one.sock").path):
                pass
        async with twin.connect(serve(answering(nonsense), "two.sock").path) as client:
            for use in (lambda: client.call("seam.stats"), client.ping, lambda: client.watch().opened()):
                with pytest.raises(seamd.ProtocolError):
                    result = await use()
                    # What call() gives is what came, whatever its shape.
                    raise seamd.ProtocolError("") if result == [] else AssertionError(result)
        async with twin.connect(seam_daemon.socket) as client:
            assert await client.ping()

    twin.play(scenario)


BAD_EVENTS = [
    ("no kind", {"sub": 1, "seq": 4}),
    ("no members", {"sub": 1, "kind": "verdict"}),
    ("a place that is none", {"sub": 1, "kind": "mark", "seq": "four"}),
    ("no params", None),
]


@pytest.mark.parametrize("params", [row[1] for row in BAD_EVENTS], ids=[row[0] for row in BAD_EVENTS])
def test_a_bad_event_line_ends_the_stream_in_words(twin, serve, params):
    def answer(connection, request, number):
        reply(connection, request["id"], {"sub": 1, "epoch": "1" * 16, "seq": 3, "count": 0})
        line = {"jsonrpc": "2.0", "method": "seam.event", **({"params": params} if params else {})}
        connection.sendall(json.dumps(line).encode() + b"\n")

    async def scenario():
        async with twin.connect(serve(answering(answer)).path) as client:
            watch = client.simulation("s").watch()
            with pytest.raises(seamd.ProtocolError, match="event line"):
                await watch.next()
            assert await watch.next() is None

    twin.play(scenario)


def test_lines_in_pieces_and_replies_to_nobody(twin, serve):
    """Half lines, several lines at once, a late reply, an event that nobody subscribed to: the right reply is found."""

    def answer(connection, request, number):
        for text in (
            b'{"jsonrpc":"2.0","id":999,"result":{}}\n\r\n\n',
            b'{"jsonrpc":"2.0","method":"seam.event","params":{"sub":9,"kind":"mark","seq":1}}\n{"jsonrpc":"2.0",',
            b'"id":%d,"result":{"daemonEp' % request["id"],
            "och\":\"grün\"}}\n".encode()[:-6],
            "och\":\"grün\"}}\n".encode()[-6:],
        ):  # fmt: skip
            connection.sendall(text)

    async def scenario():
        async with twin.connect(serve(answering(answer)).path) as client:
            assert await client.ping() == "grün"
            assert await client.ping() == "grün"

    twin.play(scenario)


def test_a_connection_that_ends_under_a_call(twin, serve):
    def answer(connection, request, number):
        if number == 1:
            connection.sendall(b'{"jsonrpc":"2.0","id":')
            connection.shutdown(socket.SHUT_RDWR)
        else:
            reply(connection, request["id"], {"daemonEpoch": "2"})

    async def scenario():
        async with twin.connect(serve(answering(answer)).path) as client:
            with pytest.raises(seamd.Interrupted, match="fake.sock"):
                await client.ping()
            assert await client.ping() == "2"

    twin.play(scenario)


def test_one_connection_too_many(twin, start):
    daemon = start("--max-connections", "1")

    async def scenario():
        async with twin.connect(daemon.path) as client:
            for _ in range(20):
                # Whether it hangs up before the greeting is written or after: what it said first is read.
                with pytest.raises(seamd.LimitError) as refused:
                    async with twin.connect(daemon.path):
                        pass
                assert refused.value.data["option"] == "--max-connections"
            assert await client.ping()

    twin.play(scenario)


def test_a_closed_client_wakes_whoever_waits(seam_daemon):
    client = seamd.sync.connect(seam_daemon.socket)
    sim = client.create("live")
    watch = sim.watch().opened()
    ends = []

    def read():
        try:
            for _ in watch:
                pass
        except seamd.SeamError as problem:
            ends.append(problem)

    reader = threading.Thread(target=read)
    reader.start()
    watch.close()
    reader.join(10)
    assert not reader.is_alive() and (not ends or isinstance(ends[0], seamd.Closed))
    sim.destroy()
    client.close()

    async def scenario():
        async with seamd.connect(seam_daemon.socket) as one, one.create("live") as live:
            stream = await live.watch().opened()
            await stream.next()
            waiting = asyncio.ensure_future(stream.next())
            await one.ping()
            with pytest.raises(RuntimeError, match="being read already"):
                while await stream.next() is not None:
                    pass
            await stream.aclose()
            with pytest.raises(seamd.Closed):
                await asyncio.wait_for(waiting, 5)

    asyncio.run(scenario())


def test_starting_a_private_daemon_can_fail(twin, folder, monkeypatch):
    async def fails(part, **options):
        with pytest.raises(seamd.ConnectError) as problem:
            async with twin.connect(private=True, **options):
                pass
        assert part in str(problem.value), str(problem.value)

    async def scenario():
        script = f"{folder}/seamd"
        for body, part in [
            ("echo no such plug-in >&2; exit 3", "it ended with status 3: no such plug-in"),
            ("kill -9 $$", "it ended with status 137"),
        ]:
            with open(script, "w") as file:
                file.write(f"#!/bin/sh\n{body}\n")
            os.chmod(script, stat.S_IRWXU)
            await fails(part, program=script)
        with open(script, "w") as file:
            file.write("#!/bin/sh\nread -r never <\"$0.fifo\"\n")
        os.mkfifo(f"{script}.fifo")
        await fails("did not listen within 0.2 s", program=script, timeout=0.2)
        await fails("no /nosuch/seamd to start (as given)", program="/nosuch/seamd")
        await fails("--no-such-option", arguments=["--no-such-option"])
        await fails("nosuch.so", plugins=["nosuch.so"])
        for wrong in ({"private": True, "path": "/a"}, {"plugins": ["a"]}):
            with pytest.raises(TypeError, match="private=True"):
                async with twin.connect(**wrong):
                    pass
        async with twin.connect(private=True) as client:
            assert await client.ping()

    monkeypatch.setenv("TMPDIR", folder)
    before = set(os.listdir(folder))
    twin.play(scenario)
    assert set(os.listdir(folder)) - before == {"seamd", "seamd.fifo"}, "a folder of a daemon was left"
    with monkeypatch.context() as changed:
        changed.setenv("SEAMD", "/nosuch")
        with pytest.raises(seamd.ConnectError, match=r"no /nosuch to start \(from \$SEAMD\)"):
            seamd.sync.connect(private=True)


def test_each_kind_of_the_daemon_and_of_the_page_has_its_error(seam_daemon):
    """A kind that was missed here fails; one more here is of a daemon that has more than this one."""
    with seamd.sync.connect(seam_daemon.socket) as client:
        document = client.discover()
    told = document["components"]["errors"]
    assert set(told) - set(errors.BY_KIND) == set()
    page = (ROOT / "protocol.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (-32\d+) \| ([^|]*) \|", page[page.index("## 5. Errors") :], re.M)
    kinds = {kind: int(code) for code, cell in rows for kind in re.findall(r"`([^`]+)`", cell)}
    assert set(kinds) - set(errors.BY_KIND) == set()
    assert set(kinds) == set(told)
    for kind, cls in errors.BY_KIND.items():
        name = "".join(part.capitalize() for part in kind.split("-"))
        assert cls.__name__ == (name if name.endswith("Error") else name + "Error")
        assert getattr(seamd, cls.__name__) is cls and cls.__name__ in seamd.__all__
        made = errors.refusal({"code": kinds.get(kind, -32000), "message": "No.", "data": {"kind": kind}}, "sim.get")
        assert type(made) is cls and made.code == told.get(kind, {"code": -32000})["code"]
        assert str(made) == "sim.get: No."
        again = pickle.loads(pickle.dumps(made))
        assert type(again) is cls and (again.kind, again.data) == (kind, {"kind": kind})
    newer = errors.refusal({"code": -32099, "message": "No.", "data": {"kind": "too-blue"}}, None)
    assert type(newer) is seamd.CallError and newer.kind == "too-blue"
