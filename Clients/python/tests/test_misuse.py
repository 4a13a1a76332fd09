"""What nobody should do and somebody does: forks, forgotten awaits, wrong types, closing under a reader, late answers."""

import asyncio
import contextlib
import gc
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings

import pytest
from conftest import ROOT
from test_wrong_input import answering, hello, reply

import seamd
import seamd.sync

# MARK: forks


def in_a_child(work):
    """Runs `work` in a fork of this process, collects its garbage there, and gives what it said."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Python 3.12 warns of forks beside threads, which is what this is about.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        said = "nothing"
        try:
            os.close(reading)
            said = str(work())
        except BaseException as problem:
            said = f"{type(problem).__name__}: {problem}"
        finally:
            os.write(writing, said.encode())
            gc.collect()
            os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def test_a_forked_child_touches_nothing_of_its_parent(twin):
    async def scenario():
        async with twin.connect(private=True) as client, client.create("live") as sim:
            await sim.show("A", x=1)
            watch = await sim.watch().opened()
            unopened = sim.watch()
            folder = client.daemon.folder

            def child():
                async def use():
                    refused = 0
                    for call in (
                        client.ping, watch.next, unopened.opened, lambda: client.batch([("seam.ping", {})]),
                        lambda: sim.wait_for("A.x", timeout=1), lambda: sim.set(x=2), lambda: opened(sim),
                    ):  # fmt: skip
                        try:
                            await call()
                        except seamd.WrongProcess as problem:
                            refused += "connect anew here" in str(problem)
                    await watch.aclose()
                    await unopened.aclose()
                    await client.aclose()
                    client.daemon.close()
                    async with twin.connect(client.path) as own:
                        await own.call("screen.set", sim=sim.id, screen="A", values={"x": 5})
                    return refused

                return twin.play(use)

            def leaves_a_block():
                async def use():
                    async with other:
                        pass

                return twin.play(use)

            async def opened(sim):
                await sim.watch().opened()

            assert await off_the_loop(twin, lambda: in_a_child(child)) == "7"
            other = await client.create("live")
            assert await off_the_loop(twin, lambda: in_a_child(leaves_a_block)) == "None"
            assert await other.fields() == []
            assert os.path.exists(folder)
            assert await client.ping()
            events = [type(await watch.next(5)) for _ in range(3)]
            assert events == [seamd.State, seamd.Sync, seamd.Change]
        assert not os.path.exists(folder)

    async def off_the_loop(twin, work):
        # Forked in another thread, so that the child may run a loop of its own.
        return await asyncio.get_running_loop().run_in_executor(None, work)

    twin.play(scenario)


def test_a_daemon_ends_at_once_though_a_child_lives_on():
    daemon = seamd.Daemon()
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(writing)
        daemon.__del__()
        os.read(reading, 1)
        os._exit(0)
    os.close(reading)
    try:
        assert daemon.listens()
        begun = time.monotonic()
        assert daemon.close() == 0, "it was not asked to end, but killed"
        assert time.monotonic() - begun < 4, "the child kept the pipe by which it ends"
        assert not os.path.exists(daemon.folder)
    finally:
        os.close(writing)
        os.waitpid(child, 0)


# MARK: one time limit a call


def silent(connection, number):
    """A server that takes everything and says nothing."""
    while connection.recv(4096):
        pass


def test_the_limit_of_a_call_is_that_of_all_it_takes(twin, serve, start):
    daemon = start()

    async def took(call, limit=2.0):
        begun = time.monotonic()
        with pytest.raises(seamd.Timeout) as late:
            await call()
        assert time.monotonic() - begun < limit
        return str(late.value)

    async def scenario():
        async with twin.connect(daemon.path, timeout=20) as client, client.create("live") as sim:
            await sim.show("A", x=1)
            daemon.signal(signal.SIGSTOP)
            # Opening a stream, by its own limit and by that of the one who reads or waits.
            await took(lambda: sim.watch().opened(0.1))
            await took(lambda: sim.watch().next(0.1))
            text = await took(lambda: sim.wait_for("A.x", timeout=0.1))
            assert text.startswith("A.x did not become matching within 0.1 s: the daemon said nothing")
            await took(lambda: client.call("seam.ping", timeout=0))
            daemon.signal(signal.SIGCONT)
            assert await client.ping()
            # What was heard before the daemon fell silent is told, without asking it again.
            watch = sim.watch("A.x")
            assert [type(await watch.next(5)) for _ in range(2)] == [seamd.State, seamd.Sync]
            assert "it is leftover (model=none screen=1)" in await took(lambda: sim.wait_for("A.x", timeout=0.2))
            with pytest.raises(seamd.Timeout):
                await watch.next(0)
        # A connection that is opened for a call has the limit of the call.
        count = []

        def once(connection, number):
            count.append(number)
            if number > 1:
                return silent(connection, number)
            request = json.loads(connection.makefile("rb").readline())
            reply(connection, request["id"], hello(request))
            silent(connection, number)

        server = serve(once)
        async with twin.connect(server.path, timeout=20) as client:
            server.cut()
            begun = time.monotonic()
            with pytest.raises(seamd.SeamError) as problem:
                await client.call("seam.ping", timeout=0.1)
            while isinstance(problem.value, seamd.Interrupted):
                # asyncio hears of the end when it next listens.
                with pytest.raises(seamd.SeamError) as problem:
                    await client.call("seam.ping", timeout=0.1)
            assert isinstance(problem.value, seamd.Timeout) and time.monotonic() - begun < 2
            assert len(count) > 1

    twin.play(scenario)


def test_waiting_behind_another_opening_counts(serve):
    async def scenario():
        client = seamd.Client(serve(silent).path, timeout=20)
        first = asyncio.ensure_future(client.open())
        # One round of the loop, not to wait for something.
        await asyncio.wait([first], timeout=0)
        begun = time.monotonic()
        with pytest.raises(seamd.Timeout, match="another call"):
            await client.call("seam.ping", timeout=0.1)
        assert time.monotonic() - begun < 2
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        await client.aclose()

    asyncio.run(scenario())


def test_a_limit_that_runs_out_under_a_reconnection_leaves_the_stream(twin, start):
    daemon = start()

    async def scenario():
        async with twin.connect(daemon.path) as client:
            sim = await client.create("live", "app")
            watch = await sim.watch(reconnect=20).opened()
            assert isinstance(await watch.next(5), seamd.Sync)
            daemon.kill()
            os.unlink(daemon.path)
            begun = time.monotonic()
            for _ in range(2):
                with pytest.raises(seamd.Timeout, match="no daemon listens"):
                    await watch.next(0.1)
            assert time.monotonic() - begun < 3
            start()
            await client.create("live", "app")
            assert isinstance(await watch.next(10), seamd.Restarted)
            await watch.aclose()

    twin.play(scenario)


# MARK: closing under a reader


def test_closing_the_client_ends_its_streams_in_other_threads(start):
    daemon = start()
    client = seamd.sync.connect(daemon.path)
    sim = client.create("live", "app")
    reading = sim.watch().opened()
    assert isinstance(next(reading), seamd.Sync)
    ends = []

    def read():
        try:
            while True:
                reading.next()
        except BaseException as problem:
            ends.append(problem)

    reader = threading.Thread(target=read)
    reader.start()
    client.close()
    reader.join(10)
    assert not reader.is_alive()
    assert isinstance(ends[0], seamd.Closed) and "the client was closed" in str(ends[0])


def test_closing_the_client_ends_a_stream_that_reconnects(start):
    daemon = start()
    client = seamd.sync.connect(daemon.path)
    watch = client.watch(reconnect=60).opened()
    assert isinstance(next(watch), seamd.Sync)
    daemon.kill()
    ends = []

    def read():
        try:
            watch.next()
        except BaseException as problem:
            ends.append(problem)

    reader = threading.Thread(target=read)
    reader.start()
    client.close()
    reader.join(10)
    assert not reader.is_alive() and isinstance(ends[0], seamd.Closed)

    async def scenario():
        again = start()
        async with seamd.connect(again.path) as one:
            stream = await one.watch(reconnect=60).opened()
            assert isinstance(await stream.next(), seamd.Sync)
            quiet = await one.watch().opened()
            assert isinstance(await quiet.next(), seamd.Sync)
            waiting = [asyncio.ensure_future(quiet.next())]
            await one.ping()
            again.kill()
            waiting.append(asyncio.ensure_future(stream.next()))
            # One round of the loop, not to wait for something.
            await asyncio.wait(waiting, timeout=0)
            await one.aclose()
            for task in waiting:
                with pytest.raises(seamd.Closed, match="the client was closed"):
                    await asyncio.wait_for(task, 5)

    asyncio.run(scenario())


def test_several_readers_of_a_stream_that_is_not_open_yet(seam_daemon):
    async def scenario():
        async with seamd.connect(seam_daemon.socket) as client, client.create("live") as sim:
            await sim.show("A", x=1)
            before = (await client.stats())["subscriptions"]
            watch = sim.watch()
            done = await asyncio.gather(watch.next(), watch.next(), watch.opened(), return_exceptions=True)
            assert isinstance(done[0], seamd.State)
            assert [type(one) for one in done[1:]] == [RuntimeError] * 2 and "being read already" in str(done[1])
            assert (await client.stats())["subscriptions"] == before + 1
            assert isinstance(await watch.next(), seamd.Sync)
            await watch.aclose()

    asyncio.run(scenario())


# MARK: pages that belong together


def test_fields_of_several_pages_belong_to_one_moment(twin, serve):
    """The simulation moves on between the first two pages, twice, and then holds still."""
    asked = []

    def answer(connection, request, number):
        start = request["params"].get("from", 0)
        asked.append(start)
        seq = 10 + sum(one == 0 for one in asked) + (start > 0 and len(asked) < 5)
        field = {"screen": "A", "field": f"f{start}", "verdict": "matching", "model": str(seq), "shown": str(seq)}
        page = {"sim": "s", "epoch": "1" * 16, "seq": seq, "turn": 1, "fields": [field]}
        reply(connection, request["id"], {**page, "next": start + 1} if start < 2 else page)

    async def scenario():
        async with twin.connect(serve(answering(answer)).path) as client:
            found = await client.simulation("s").fields()
            assert [(one.field, one.model) for one in found] == [("f0", "13"), ("f1", "13"), ("f2", "13")]
        assert asked == [0, 1, 0, 1, 0, 1, 2]

    twin.play(scenario)


def test_a_simulation_that_never_holds_still_is_said(twin, serve):
    asked = []

    def answer(connection, request, number):
        asked.append(1)
        page = {"epoch": "1" * 16, "seq": len(asked), "turn": len(asked), "fields": [], "mounts": [], "next": 1}
        if request["params"].get("limit") != 1 and request["method"] == "bridge.list" and "from" in request["params"]:
            page = {"mounts": [{"mount": 1, "bridge": "b"}]}
        elif request["method"] == "bridge.list":
            page["mounts"] = [{"mount": 2, "bridge": "b"}]
        reply(connection, request["id"], page)

    async def scenario():
        async with twin.connect(serve(answering(answer)).path) as client:
            for call in (client.simulation("s").fields, client.simulation("s").mounts):
                with pytest.raises(seamd.Unsettled, match="the simulation s changes faster"):
                    await call()

    twin.play(scenario)


def test_a_list_of_which_an_element_goes_between_two_pages(twin, serve):
    """By position alone "c" would be passed over."""
    sims = ["a", "b", "c", "d"]
    asked = []

    def answer(connection, request, number):
        start = request["params"].get("from", 0)
        asked.append(start)
        page = sims[start : start + 2]
        rest = {"next": start + 2} if start + 2 < len(sims) else {}
        reply(connection, request["id"], {"sims": [{"sim": one, "epoch": one} for one in page], **rest})
        if asked == [0]:
            sims.remove("a")

    async def scenario():
        async with twin.connect(serve(answering(answer)).path) as client:
            assert [one.sim for one in await client.simulations()] == ["b", "c", "d"]

    twin.play(scenario)


# MARK: wrong types

WRONG_TYPES = [
    ("object", lambda sim: sim.set(x=object()), TypeError, "values.x is <object"),
    ("bytes", lambda sim: sim.show("A", x=b"a"), TypeError, "values.x is b'a', of type bytes; a value is a text, a number"),
    ("nested", lambda sim: sim.client.call("sim.get", sim={"a": [1, set()]}), TypeError, "sim.a[1] is set(), of type set"),
    ("batch", lambda sim: sim.client.batch([("model.set", {"sim": "a", "values": {"k": b""}})]), TypeError, "values.k"),
    ("surrogate", lambda sim: sim.set(name="a\udc00"), ValueError, "values.name holds half a surrogate pair"),
    ("surrogate-name", lambda sim: sim.set({"\udc00": 1}), ValueError, "values.\\udc00 holds half a surrogate pair"),
    ("nan", lambda sim: sim.set(x=float("nan")), ValueError, "values.x is nan"),
    ("digits", lambda sim: sim.set(x=10**5000), ValueError, "values.x is a number of more digits"),
    ("text-for-values", lambda sim: sim.set("x"), TypeError, "values are given by name, x=1, or as a mapping"),
    ("list-for-values", lambda sim: sim.show("A", ["x"]), TypeError, "not as ['x']"),
    ("text-for-args", lambda sim: sim.send("tick", "x"), TypeError, "arguments are given by name"),
    ("text-for-params", lambda sim: sim.client.call("sim.get", "x"), TypeError, "params are given by name"),
    ("number-for-name", lambda sim: sim.set({1: 2}), TypeError, "names of values are texts; 1 is of type int"),
    ("text-for-limit", lambda sim: sim.client.call("seam.ping", timeout="1"), TypeError, "timeout is '1'; it is a number"),
    ("negative-limit", lambda sim: sim.wait_for("A.x", timeout=-1), ValueError, "timeout is -1; it is a number of seconds"),
    ("nan-limit", lambda sim: sim.watch().next(float("nan")), ValueError, "timeout is nan"),
    ("true-for-limit", lambda sim: sim.watch().opened(True), TypeError, "timeout is True"),
    ("text-for-reconnect", lambda sim: sim.watch(reconnect="no").opened(), TypeError, "reconnect is 'no'"),
    ("tuple-for-cursor", lambda sim: sim.watch(after=("a", 1)).opened(), TypeError, "after is ('a', 1); it is a Cursor"),
    ("number-for-match", lambda sim: sim.watch(5).opened(), TypeError, "match is 5; it is a glob"),
    ("text-for-items", lambda sim: sim.items("list", "abc"), TypeError, "items is 'abc'; it is a list"),
    ("subscription-in-a-batch", lambda sim: sim.client.batch([("sub.open", {})]), ValueError, "use watch()"),
    ("no-pair-in-a-batch", lambda sim: sim.client.batch(["seam.ping"]), TypeError, "requests[0] is 'seam.ping'"),
    ("no-environment", lambda sim: sim.set_environment({}), ValueError, "no value is given"),
]  # fmt: skip


@pytest.mark.parametrize("call, error, part", [row[1:] for row in WRONG_TYPES], ids=[row[0] for row in WRONG_TYPES])
def test_a_wrong_type_is_named_with_its_place(twin, seam_daemon, call, error, part):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("live") as sim:
            await sim.show("A", x=1)
            before = (await sim.info())["turn"]
            with pytest.raises(error) as refused:
                await call(sim)
            assert part in str(refused.value)
            assert refused.value.__cause__ is None
            assert (await sim.info())["turn"] == before
            assert await client.ping()

    twin.play(scenario)


def test_options_of_the_wrong_type(twin, folder):
    async def refused(error, part, *arguments, **options):
        with pytest.raises(error) as problem:
            async with twin.connect(*arguments, **options):
                pass
        assert part in str(problem.value), str(problem.value)

    async def scenario():
        for name in ("plugins", "plugin_dirs", "arguments"):
            await refused(TypeError, f"{name} is one text, '/x.so'; it is a list", private=True, **{name: "/x.so"})
        await refused(TypeError, "timeout is '1'", timeout="1")
        await refused(TypeError, "the path of the socket is 5", 5)
        await refused(seamd.ConnectError, f"{folder} is a folder; the socket of a daemon is a file in one", folder)
        await refused(seamd.ConnectError, "is empty or holds a NUL", b"a\0b")

    twin.play(scenario)


def test_a_forgotten_await_is_named(seam_daemon):
    with pytest.raises(AttributeError, match=r"nothing is connected yet.*await connect"):
        seamd.connect(seam_daemon.socket).create("live")

    async def scenario():
        async with seamd.connect(seam_daemon.socket) as client:
            with pytest.raises(AttributeError, match=r"no simulation is made yet, so it has no set: .*await client\.create"):
                client.create("live").set(x=1)
            for one in (seamd.connect(seam_daemon.socket), client.create("live")):
                with pytest.raises(TypeError, match="write `async with"):
                    with one:
                        pass

    asyncio.run(scenario())


def test_a_client_whose_loop_has_ended_can_be_closed(seam_daemon):
    async def make():
        client = await seamd.connect(private=True)
        watch = await client.watch().opened()
        await watch.next()
        return client, watch

    async def close(client):
        with pytest.raises(seamd.WrongLoop):
            await client.ping()
        await client.aclose()
        with pytest.raises(seamd.Closed):
            await client.ping()

    client, watch = asyncio.run(make())
    folder = client.daemon.folder
    asyncio.run(close(client))
    assert not os.path.exists(folder)

    async def other(client):
        with pytest.raises(seamd.WrongLoop, match="another event loop"):
            await client.aclose()

    # While its own loop is there, only that one can close it.
    loop = asyncio.new_event_loop()
    one = loop.run_until_complete(connected(seam_daemon.socket))
    asyncio.run(other(one))
    loop.run_until_complete(one.aclose())
    loop.close()


async def connected(path):
    return await seamd.connect(path)


def test_what_is_watched_after_its_end_says_so_like_a_call(twin, seam_daemon):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client:
            sim = await client.create("live")
            await sim.destroy()
            for use in (lambda: sim.watch().opened(), lambda: sim.wait_for("A.x"), sim.fields, lambda: sim.set(x=1)):
                with pytest.raises(seamd.Closed, match=f"the simulation {sim.id} was destroyed"):
                    await use()

    twin.play(scenario)


# MARK: what the daemon said before it hung up


def test_a_line_about_the_connection_is_read_though_writing_fails(twin, serve):
    go, gone = threading.Event(), threading.Event()

    def script(connection, number):
        request = json.loads(connection.makefile("rb").readline())
        reply(connection, request["id"], hello(request))
        go.wait(10)
        error = {"code": -32008, "message": "Enough.", "data": {"kind": "limit"}}
        connection.sendall(json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode() + b"\n")
        connection.close()
        gone.set()

    async def scenario():
        async with twin.connect(serve(script).path) as client:
            # Nothing is read in between: the next thing to happen here is a write into an ended connection.
            go.set()
            assert gone.wait(10)
            with pytest.raises(seamd.LimitError, match="Enough"):
                await client.ping()

    twin.play(scenario)


# MARK: the folder after pip install


def test_the_tests_start_in_a_folder_that_was_installed_from(tmp_path):
    """`pip install ./Clients/python` leaves build/ and an egg-info, by which pytest finds the plug-in a second time."""
    copy = tmp_path / "Clients/python"
    shutil.copytree(ROOT / "Clients/python", copy, ignore=shutil.ignore_patterns("__pycache__", "build", ".*", "*.egg-info"))
    shutil.copytree(copy / "seamd", copy / "build/lib/seamd")
    information = copy / "seamd_client.egg-info"
    information.mkdir()
    (information / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: seamd-client\nVersion: 0.1.0\n")
    (information / "entry_points.txt").write_text("[pytest11]\nseamd = seamd.pytest_plugin\n")
    (copy / "tests/test_one.py").write_text("def test_it(seam):\n    assert seam.ping()\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PYTHONPATH"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/test_one.py"], cwd=copy, env=environment, capture_output=True,
        text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


# MARK: programs that come with it


@pytest.fixture
def program(start):
    daemon = start()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "Clients/python"), "SEAM_SOCKET": daemon.path}
    programs = []

    def make(*words):
        programs.append(
            subprocess.Popen(
                [sys.executable, "-u", *words], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True,
            )
        )  # fmt: skip
        return programs[-1]

    yield make
    for one in programs:
        if one.poll() is None:
            one.kill()
        one.communicate()


PROGRAMS = [("-m", "seamd.demo"), (str(ROOT / "Clients/examples/terminal/tasks.py"),)]


@pytest.mark.parametrize("file", ["seamd/demo.py", "rate.py"])
def test_a_program_without_a_daemon_to_start_is_one_line(file):
    words = ["-m", "seamd.demo"] if file == "seamd/demo.py" else [str(ROOT / "Clients/python" / file), "10"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "Clients/python"), "SEAMD": "/nosuch/seamd"}
    done = subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stdout == ""
    assert re.fullmatch(r"[\w.]+: no /nosuch/seamd to start \(from \$SEAMD\).*\n", done.stderr), done.stderr


@pytest.mark.parametrize("words", PROGRAMS, ids=["demo", "tasks"])
def test_a_program_that_is_interrupted_says_nothing(program, words):
    one = program(*words)
    # Not a line: what tasks.py draws has none.
    assert os.read(one.stdout.fileno(), 1)
    one.send_signal(signal.SIGINT)
    _, said = one.communicate(timeout=60)
    # The demo may have come to its end by itself.
    assert (one.returncode, said) in ((130, ""), (0, ""))


@pytest.mark.parametrize("words", PROGRAMS, ids=["demo", "tasks"])
def test_a_program_whose_reader_goes_says_nothing(program, words):
    one = program(*words)
    one.stdout.close()
    with contextlib.suppress(BrokenPipeError):
        one.stdin.write("add Milk\nadd Bread\n")
        one.stdin.flush()
    said = one.stderr.read()
    assert (one.wait(60), said) == (141, "")


# MARK: what is told


def test_what_is_wrong_is_told_with_what_would_be_right(twin, seam_daemon, folder):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("live") as sim:
            for call, text in [
                (lambda: sim.set({"a": 1}, a=2), "values have 'a' twice: in the mapping, and by name"),
                (lambda: sim.send("tap", {"a": 1}, a=2), "arguments have 'a' twice"),
            ]:
                with pytest.raises(TypeError, match=text):
                    await call()
            with pytest.raises(ValueError, match=r"show\('T', openCount=3\)"):
                await sim.show("T")
            with pytest.raises(ValueError, match=r"set\(openCount=3\)"):
                await sim.set()
            with pytest.raises(ValueError, match="after and snapshot=False exclude each other"):
                sim.watch(after=seamd.Cursor("1" * 16, 1), snapshot=False)
            with pytest.raises(TypeError, match="snapshot is 'now'"):
                sim.watch(snapshot="now")
            with pytest.raises(seamd.OutOfRangeError):
                await sim.watch(mode="al").opened()
            before = (await sim.info())["seq"]
            await sim.show("T", a=1)
            info, then = await sim.info(), await sim.info(at=before)
            assert (then["seq"], info["seq"]) == (before, before + 1) and "fields" not in info

    twin.play(scenario)


@pytest.mark.parametrize("program, text", [("/etc/passwd", "no program that this user may execute"), ("/etc", "a folder")])
def test_what_is_no_program_is_told_so(twin, monkeypatch, program, text):
    monkeypatch.setenv("SEAMD", program)

    async def scenario():
        with pytest.raises(seamd.ConnectError, match=rf"{program} \(from \$SEAMD\) is {text}"):
            async with twin.connect(private=True):
                pass

    twin.play(scenario)


def test_a_greeting_that_does_not_come_is_named(twin, serve):
    async def scenario():
        server = serve(lambda connection, _: connection.recv(1 << 16) and connection.recv(1))
        with pytest.raises(seamd.Timeout, match="seam.hello was not answered"):
            async with twin.connect(server.path, timeout=0.2):
                pass

    twin.play(scenario)


def test_the_limit_of_connecting_is_that_of_the_private_daemon_too(twin, folder):
    # Never listens: exec, so that ending it ends what waits. Written by another program, since one that this process had
    # open for writing could be busy when it is run.
    write = 'printf "#!/bin/sh\\nexec sleep 600\\n" >"$0" && chmod 700 "$0"'
    subprocess.run(["sh", "-c", write, f"{folder}/seamd"], check=True)

    async def scenario():
        begun = time.monotonic()
        with pytest.raises(seamd.ConnectError, match="did not listen within 0.5 s"):
            async with twin.connect(private=True, timeout=0.5, program=f"{folder}/seamd"):
                pass
        assert time.monotonic() - begun < 15

    twin.play(scenario)


def test_the_tests_run_where_the_package_is_installed(tmp_path):
    """`pytest FILE` in this folder, with another copy of the package loaded by its entry point."""
    installed = tmp_path / "site"
    shutil.copytree(ROOT / "Clients/python/seamd", installed / "seamd", ignore=shutil.ignore_patterns("__pycache__"))
    info = installed / "seamd_client-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: seamd-client\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[pytest11]\nseamd = seamd.pytest_plugin\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", f"--basetemp={tmp_path}/base", "tests/test_terminal.py"],
        cwd=ROOT / "Clients/python", env={**os.environ, "PYTHONPATH": str(installed)}, capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
