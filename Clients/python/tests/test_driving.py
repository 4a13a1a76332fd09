"""Each thing that the README says one can do, in both twins, against a real daemon."""

import asyncio
import inspect
import json
import os
import select
import subprocess
import sys
import threading

import pytest
from conftest import ROOT

import seamd
import seamd.sync
from seamd import Change, End, State, Sync


def test_a_lesson_goes_stale_and_is_repaired(twin, seam_daemon):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client:
            async with client.create("lessons.hosting-unassigned") as sim:
                assert [one.verdict for one in await sim.fields()] == ["matching"] * 3
                turn = await sim.set(openCount=5)
                assert (turn.turn, turn.changes, turn.diagnostics) == (2, 1, 0)
                check = await sim.check()
                field = check["HostingController.openCount"]
                assert (field.verdict, field.model, field.shown) == ("stale", "5", "3")
                assert check.counts == {"matching": 2, "stale": 1, "missing": 0, "leftover": 0}
                assert [one.code for one in check.diagnostics] == ["update-never-arrived"]
                await sim.assign("host")
                found = await sim.wait_for("HostingController.openCount", "matching")
                assert isinstance(found, State) and found.shown == "5"
                identity = sim.id
            with pytest.raises(seamd.UnknownSimError) as refused:
                await client.call("sim.get", sim=identity)
            assert refused.value.code == -32001 and refused.value.data["sim"] == identity

    twin.play(scenario)


def test_bridges_mounts_and_the_clock(twin, seam_daemon):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("lessons.wrapping-filled") as sim:
            mounted = await sim.mount("list")
            assert mounted.mount == 2
            with pytest.raises(seamd.WhichMountError) as refused:
                await sim.update("list")
            assert refused.value.data["known"] == ["1", "2"]
            assert (await sim.update("list", 2)).turn == 3
            assert (await sim.unmount("list", 2)).changes == 0
            assert (await sim.advance(250)).seq > 0
            assert (await sim.info())["ms"] == 250
            await sim.clear("rowCount")
            with pytest.raises(seamd.NotLiveError):
                await sim.show("LegacyListView", rowCount=1)
        async with twin.connect(seam_daemon.socket) as client, client.create("counter.observed") as sim:
            event = (await client.describe("counter.observed"))["events"][0]["id"]
            assert (await sim.send(event)).turn == 2
            with pytest.raises(seamd.UnknownEventError):
                await sim.send("no-such-event", {"with": 1}, mount=None)

    twin.play(scenario)


def test_the_host_the_environment_and_lists(twin, seam_daemon):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("lessons.wrapping-filled") as sim:
            assert [(one.mount, one.bridge, one.window) for one in await sim.mounts()] == [(1, "list", True)]
            assert (await sim.set_host("list", window=False)).changes == 2
            assert [one.window for one in await sim.mounts("list")] == [False]
            assert (await sim.set_host("list", 1, window=True, scene="active", hidden=False, size=True, parked=False)).changes
            with pytest.raises(seamd.MissingParamError, match="window, scene, hidden, size, parked"):
                await sim.set_host("list")
            with pytest.raises(seamd.OutOfRangeError, match="scene"):
                await sim.set_host("list", scene="nowhere")
            assert (await sim.set_environment({"locale": "de"})).turn > 1
            assert (await sim.set_environment({"locale": None}, "list", 1)).turn > 2
            with pytest.raises(seamd.MissingParamError, match="name the bridge"):
                await sim.set_environment({"locale": "de"}, mount=1)
            await sim.items("list", ["a", {"id": "b", "value": "Bread"}])
            await sim.items("list", ["b", "c"])
            ids = [one.mount for one in await sim.mounts("list")]
            await sim.identify("list", "x", ids[0])
            await sim.rebind("list", "d", ids[1])
            assert [(one.owner, one.identity) for one in await sim.mounts("list")] == [("b", "x"), ("d", None)]
            with pytest.raises(seamd.ConflictingParamsError, match="items.1..id"):
                await sim.items("list", ["a", {"id": "a"}])
            await sim.items("list", [])
            assert await sim.mounts() == []
            with pytest.raises(seamd.UnknownBridgeError):
                await sim.mounts("nosuch")
            mount = (await sim.mount("list")).mount
            await sim.dismiss("list", mount)
            assert await sim.mounts() == []
            policies = await client.policies()
            assert "dismissal" in [one["name"] for one in policies["policies"]] and policies["profiles"]

    twin.play(scenario)


def test_many_mounts_are_read_page_by_page(twin, seam_daemon):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("lessons.wrapping-filled") as sim:
            names = [f"{'x' * 100}{number}" for number in range(4000)]
            await sim.items("list", names)
            page = await client.call("bridge.list", sim=sim.id)
            assert page["next"] < len(names), "one page was enough: the test shows nothing"
            assert [one.owner for one in await sim.mounts("list")] == names

    twin.play(scenario)


def test_building_assigning_and_looking_before_it_has_settled(twin, seam_daemon):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("lessons.hosting-unassigned") as sim:
            turn = await sim.set(openCount=5, interim={"label": "before", "fields": ["openCount"]})
            assert turn.interim["openCount"].verdict == "stale"
            await sim.build("host")
            await sim.set(openCount=6)
            await sim.update("host", cause="layout")
            await sim.assign("host", built=True)
            assert (await sim.check())["openCount"].shown == "5"
            turn = await sim.assign("host", interim={"label": "at once", "after": "event"})
            assert turn.interim["openCount"].shown == "5"
            assert [one.code for one in turn.interim.diagnostics] == ["unsettled-read"]
            with pytest.raises(seamd.OutOfRangeError, match="layuot"):
                await sim.update("host", cause="layuot")
            with pytest.raises(seamd.UnknownFieldError, match="openCuont"):
                await sim.set(openCount=7, interim={"label": "x", "fields": ["openCuont"]})

    twin.play(scenario)


def test_hiding_a_whole_screen(twin, seam_daemon):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("live") as sim:
            await sim.show("A", x=1, y=2)
            turn = await sim.show("B", z=3)
            await sim.hide("A")
            assert [(one.name, one.shown) for one in await sim.fields()] == [("A.x", None), ("A.y", None), ("B.z", "3")]
            await sim.hide("A")
            with pytest.raises(seamd.ConflictError):
                await sim.hide("B", if_seq=turn.seq)
            with pytest.raises(seamd.UnknownScreenError):
                await sim.hide("Nosuch")

    twin.play(scenario)


def test_earlier_moments_forks_and_recordings(twin, seam_daemon, tmp_path):
    tmp_path.chmod(0o700)

    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("live", trace=True) as sim:
            first = await sim.show("A", x=1)
            await sim.record(str(tmp_path / "one.jsonl"))
            last = await sim.set(x=2)
            assert [one.verdict for one in await sim.fields(at=first.seq)] == ["leftover"]
            assert (await sim.check(at=first.seq))["x"].verdict == "leftover"
            assert (await sim.check())["x"].verdict == "stale"
            async with await sim.fork(at=first.seq) as other:
                await other.set(x=1)
                assert [one.verdict for one in await other.fields()] == ["matching"]
                assert [one.verdict for one in await sim.fields()] == ["stale"]
            with pytest.raises(seamd.SeqInFutureError):
                await sim.fork(at=last.seq + 1)
            assert (await sim.stop_recording()).lines > 3
            with pytest.raises(seamd.NotRecordedError):
                await sim.stop_recording()
            assert (await client.replay(str(tmp_path / "one.jsonl")))["same"] is True
            with pytest.raises(seamd.BadPathError):
                await sim.record("relative.jsonl")
            assert "A.x" in (await sim.explain("A.x")).sentence
            assert [one.call for one in await sim.trace()][-1] == "model.set"
        async with twin.connect(seam_daemon.socket) as client, client.create("live", history=0) as short:
            await short.show("A", x=1)
            with pytest.raises(seamd.GoneError):
                await short.fork()

    twin.play(scenario)


def test_values_of_every_sort(twin, seam_daemon):
    values = {"text": "Aufgaben „heute“ 📋\n", "integer": 3, "real": 1.5, "yes": True, "none": None, "a-b": "", "self": 1}

    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("live") as sim:
            await sim.declare("Toolbar", *values)
            await sim.set(values)
            await sim.show("Toolbar", values)
            fields = {one.field: one for one in await sim.fields("Toolbar")}
            assert {name: one.model for name, one in fields.items()} == {
                "text": values["text"], "integer": "3", "real": "1.5", "yes": "true", "none": None, "a-b": "", "self": "1",
            }  # fmt: skip
            assert fields["none"].verdict == "out-of-scope"
            await sim.hide("Toolbar", "text")
            await sim.clear("integer")
            check = await sim.check("text", "integer", screen="Toolbar", label="after")
            assert check.label == "after"
            assert [one.verdict for one in check.fields] == ["missing", "leftover"]
            with pytest.raises(KeyError, match="Toolbar.text, Toolbar.integer"):
                check["nothing"]

    twin.play(scenario)


def test_a_condition_on_seq(twin, seam_daemon):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("live") as sim:
            turn = await sim.show("A", x=1, if_seq=None)
            assert (await sim.set(x=1, if_seq=turn.seq)).changes == 1
            with pytest.raises(seamd.ConflictError) as refused:
                await sim.set(x=2, if_seq=turn.seq)
            assert refused.value.data["seq"] == turn.seq + 1
            assert (await sim.fields())[0].model == "1"

    twin.play(scenario)


def test_a_stream_begins_with_the_state_and_ends_with_a_reason(twin, seam_daemon):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("live") as sim:
            await sim.show("Toolbar", title="Tasks", count=3)
            watch = await sim.watch().opened()
            await sim.set(count=3)
            await sim.set(count=4)
            await sim.destroy()
            events = [event async for event in watch]
            assert [type(event) for event in events[:5]] == [State, State, Sync, Change, Change]
            assert {type(event) for event in events[5:-1]} <= {Change} and type(events[-1]) is End
            change = events[4]
            assert (change.name, change.from_, change.to, change.model) == ("Toolbar.count", "matching", "stale", "4")
            assert json.loads(change.line)["params"]["from"] == "matching"
            with pytest.raises(AttributeError):
                change.to = "matching"
            assert events[-1].reason == "destroyed"
            assert await watch.next() is None

    twin.play(scenario)


def test_matching_only_and_start(twin, seam_daemon):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("live") as sim:
            await sim.show("Toolbar", title="Tasks", count=3)
            some = await sim.watch("*.count", only="verdicts").opened()
            later = await sim.watch(["Toolbar.*"], mode="all", snapshot=False).opened()
            for value in (1, 2, 3):
                await sim.set(count=value)
            assert [type(await some.next()) for _ in range(2)] == [State, Sync]
            assert [(await some.next()).to for _ in range(2)] == ["stale", "matching"]
            assert isinstance(await later.next(), Sync)
            assert [(await later.next()).model for _ in range(3)] == ["1", "2", "3"]
            assert later.cursor.seq == (await sim.info())["seq"]
            again = await sim.watch(after=later.cursor).opened()
            await sim.set(count=4)
            first = await again.next()
            assert (await again.next() if isinstance(first, Sync) else first).model == "4"
            for one in (some, later, again):
                await one.aclose()
            with pytest.raises(seamd.Closed):
                await again.next()

    twin.play(scenario)


def test_the_whole_daemon(twin, start):
    daemon = start()

    async def scenario():
        async with twin.connect(daemon.path) as client:
            watch = await client.watch().opened()
            assert isinstance(await watch.next(), Sync)
            sim = await client.create("live", "first")
            await sim.show("A", x=1)
            created = await watch.next()
            assert (created.what, created.sim, created.scenario) == ("created", "first", "live")
            change = await watch.next()
            assert (change.sim, change.name, change.to) == ("first", "A.x", "leftover")
            assert change.dseq == watch.cursor.seq
            resumed = await client.watch(after=watch.cursor).opened()
            await sim.destroy()
            seen = [event async for event in until_destroyed(resumed)]
            assert (seen[-1].what, seen[-1].sim) == ("destroyed", "first")
            await watch.aclose()
            await resumed.aclose()

    async def until_destroyed(watch):
        async for event in watch:
            yield event
            if getattr(event, "what", "") == "destroyed":
                return

    twin.play(scenario)


def test_waiting_says_what_it_had_instead(twin, seam_daemon):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("lessons.hosting-unassigned") as sim:
            await sim.set(openCount=7)
            with pytest.raises(seamd.Timeout) as late:
                await sim.wait_for("HostingController.openCount", timeout=0.2)
            assert "did not become matching within 0.2 s: it is stale (model=7 screen=3)" in str(late.value)
            with pytest.raises(seamd.Timeout, match="no such field; did you mean HostingController.openCount"):
                await sim.wait_for("HostingController.opencount", timeout=0.2)
            with pytest.raises(ValueError, match="no verdict; there are matching, stale"):
                await sim.wait_for("HostingController.openCount", "fine")
            with pytest.raises(ValueError, match="Screen.field"):
                await sim.wait_for("openCount")
            assert await client.ping()

    twin.play(scenario)


def test_waiting_for_what_comes_later(seam_daemon):
    async def scenario():
        async with seamd.connect(seam_daemon.socket) as client, client.create("live") as sim:
            await sim.show("A", x=1)
            waiting = asyncio.ensure_future(sim.wait_for("A.x", "matching", timeout=10))
            await sim.wait_for("A.x", "leftover")
            await sim.set(x=1)
            found = await waiting
            assert isinstance(found, (Change, State)) and found.verdict == "matching"
            ending = asyncio.ensure_future(sim.wait_for("A.x", "stale", timeout=10))
            await sim.wait_for("A.x", "matching")
            await sim.destroy()
            with pytest.raises(seamd.SeamError):
                await ending

    asyncio.run(scenario())


def test_runs_scenarios_and_lists(twin, seam_daemon):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client:
            run = await client.run("lessons.wrapping-empty", steps=True)
            assert run.met and run.checks[0]["rowCount"].expected == "stale"
            assert [one.code for one in run.checks[0].diagnostics] == ["empty-update"]
            assert run.steps[1]["step"]["step"] == "model_set"
            kept = await client.run("lessons.own-state", id="kept", keep=True, timeout=10)
            assert kept.sim == "kept"
            assert "kept" in [one.sim for one in await client.simulations()]
            attached = client.simulation("kept")
            async with attached:
                assert len(await attached.fields()) == 4
            await client.call("sim.destroy", {"sim": "kept"})
            assert "live" in [one["id"] for one in await client.scenarios()]
            assert client.hello["protocol"]["major"] == 1
            assert (await client.stats())["requests"] > 0
            assert await client.offers("sim.check") and not await client.offers("sim.fly")

    twin.play(scenario)


def test_long_lists_are_read_page_by_page(twin, seam_daemon):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("live") as sim:
            names = [f"{'x' * 100}{number}" for number in range(6000)]
            for first in range(0, len(names), 1000):
                await sim.show("Wide", {name: "v" * 100 for name in names[first : first + 1000]})
            page = await client.call("sim.get", sim=sim.id)
            assert page["next"] < len(names), "one page was enough: the test shows nothing"
            assert [one.field for one in await sim.fields()] == names

    twin.play(scenario)


def test_a_batch_answers_in_order(twin, seam_daemon):
    async def scenario():
        async with twin.connect(seam_daemon.socket) as client, client.create("live", "b") as sim:
            answers = await client.batch(
                [("screen.set", {"sim": "b", "screen": "A", "values": {"x": 1}}), ("sim.get", {"sim": "nosuch"}),
                 ("model.set", {"sim": "b", "values": {"x": 1}})]
            )  # fmt: skip
            assert answers[0]["changes"] == 1 and answers[2]["changes"] == 1
            assert isinstance(answers[1], seamd.UnknownSimError)
            assert await client.batch([]) == []
            with pytest.raises(seamd.LimitError):
                await client.batch([("seam.ping", {})] * 257)
            assert (await sim.check()).counts["matching"] == 1

    twin.play(scenario)


def test_calls_side_by_side(seam_daemon):
    async def scenario():
        async with seamd.connect(seam_daemon.socket) as client:
            sims = await asyncio.gather(*[client.create("live") for _ in range(50)])
            await asyncio.gather(*[sim.show("A", x=number) for number, sim in enumerate(sims)])
            fields = await asyncio.gather(*[sim.fields() for sim in sims])
            assert [one[0].shown for one in fields] == [str(number) for number in range(50)]
            await asyncio.gather(*[sim.destroy() for sim in sims])

    asyncio.run(scenario())


def test_threads_take_turns(seam_daemon):
    wrong = []
    with seamd.sync.connect(seam_daemon.socket) as client:

        def drive(number):
            with client.create("live") as sim:
                for value in range(50):
                    sim.show("A", x=f"{number}-{value}")
                    if sim.fields()[0].shown != f"{number}-{value}":
                        wrong.append(number)

        threads = [threading.Thread(target=drive, args=(number,)) for number in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join(30)
        assert not wrong and not any(one.is_alive() for one in threads)


def test_a_private_daemon_ends_with_its_client(twin):
    async def scenario():
        async with twin.connect(private=True) as client:
            async with client.create("live") as sim:
                await sim.show("A", x=1)
            return client.hello["pid"], client.daemon.folder

    pid, folder = twin.play(scenario)
    assert not os.path.exists(folder)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_private_daemon_ends_with_its_program_however_that_ends():
    """SIGKILL, which no clean-up survives."""
    code = (
        "import seamd.sync, sys; c = seamd.sync.connect(private=True);"
        "print(c.hello['pid'], c.daemon._process.pid, c.daemon.folder, flush=True); sys.stdin.read()"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT / "Clients/python"
    )
    *pids, path = program.stdout.readline().decode().split()
    descriptors = [os.pidfd_open(int(pid)) for pid in pids]
    program.kill()
    program.wait(10)
    for descriptor in descriptors:
        assert select.select([descriptor], [], [], 10)[0], "the daemon, or who keeps it, runs on"
        os.close(descriptor)
    assert not os.path.exists(path)


def test_the_twins_have_the_same_methods():
    for name in ("Client", "Simulation", "Watch"):
        one, other = getattr(seamd, name), getattr(seamd.sync, name)

        def methods(cls):
            return {
                method.replace("aclose", "close"): [
                    (parameter.name, parameter.kind, parameter.default)
                    for parameter in inspect.signature(value).parameters.values()
                ]
                for method, value in vars(cls).items()
                if not method.startswith("_") and callable(value)
            }

        assert methods(one) == methods(other), name
        for method, value in vars(one).items():
            if callable(value) and not method.startswith("_") and method != "aclose":
                assert value.__doc__, f"{name}.{method} says nothing of itself"
    options = [list(inspect.signature(module.connect).parameters) for module in (seamd, seamd.sync)]
    assert options[0] == options[1]


def test_the_blocking_twin_needs_no_event_loop(seam_daemon):
    code = f"""
import seamd.sync, sys
with seamd.sync.connect({seam_daemon.socket!r}) as client, client.create("live") as sim:
    sim.show("A", x=1)
    print(next(sim.watch()).shown, "asyncio" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT / "Clients/python", timeout=30
    )
    assert (done.stdout, done.stderr) == ("1 False\n", "")


def test_the_blocking_twin_works_inside_a_running_loop(seam_daemon):
    async def scenario():
        with seamd.sync.connect(seam_daemon.socket) as client, client.create("live") as sim:
            sim.show("A", x=1)
            assert next(sim.watch()).shown == "1"
        return asyncio.get_running_loop()

    assert asyncio.run(scenario()) is not None


def test_newer_methods_are_sent_as_planned(twin, serve):
    """What this daemon may not have yet goes out in the form that the protocol gives it."""
    asked = []
    answers = {
        "seam.hello": {"protocol": {"major": 1, "minor": 1}, "daemonEpoch": "0" * 16},
        "sim.explain": {
            "sim": "s", "screen": "A", "field": "x", "verdict": "stale", "model": "2", "shown": "1", "sentence": "so",
            "modelChanged": {"turn": 2, "ms": 0, "by": "set"}, "shownWritten": None,
            "carriers": [{"bridge": "host", "call": "assign", "lastTurn": None, "since": 3}],
            "calls": [{"turn": 2, "ms": 0, "round": 1, "call": "update", "wrote": ["A.x"]}],
        },
        "sim.fork": {"sim": "f", "epoch": "1" * 16, "seq": 4, "turn": 2},
        "rec.start": {"sim": "s", "path": "/r", "turn": 1},
        "rec.stop": {"sim": "s", "path": "/r", "lines": 3, "bytes": 90},
        "rec.replay": {"turns": 3, "lines": 3, "same": True},
        "sim.get": {"fields": [], "seq": 4},
        "sim.check": {"label": "s", "fields": [], "counts": {}, "diagnostics": []},
        "model.set": {
            "seq": 5, "turn": 3, "changes": 1, "diagnostics": 0,
            "interim": {"label": "now", "fields": [], "counts": {}, "diagnostics": []},
        },
    }  # fmt: skip

    def script(connection, _):
        reader = connection.makefile("rb")
        for line in reader:
            request = json.loads(line)
            asked.append((request["method"], request["params"]))
            result = answers.get(request["method"])
            if request["method"] == "sim.trace":
                first = request["params"].get("from", 1)
                skip = request["params"].get("skip", 0)
                result = {
                    "sim": "s", "from": first, "to": 2, "oldest": 1,
                    "records": [{"turn": first, "ms": 0, "round": 1, "call": "update", "bridge": f"b{skip}"}],
                    # The second turn is too long for a page.
                    **({"next": 2} if first == 1 else {"omitted": 1} if skip == 0 else {}),
                }  # fmt: skip
            reply = {"jsonrpc": "2.0", "id": request["id"], "result": result}
            connection.sendall(json.dumps(reply).encode() + b"\n")

    async def scenario():
        async with twin.connect(serve(script).path) as client:
            sim = client.simulation("s")
            told = await sim.explain("A.x")
            assert told.sentence == "so" and told.calls[0].wrote == ("A.x",) and told.carriers[0]["bridge"] == "host"
            assert [(one.turn, one.bridge) for one in await sim.trace()] == [(1, "b0"), (2, "b0"), (2, "b1")]
            assert [one.turn for one in await sim.trace(1, 2, limit=1)] == [1]
            assert (await sim.fork("f", at=4)).id == "f"
            assert (await sim.fork("f", at_turn=3)).id == "f"
            assert await sim.fields(at_turn=2) == []
            assert (await sim.record("/r")).turn == 1
            assert (await sim.stop_recording()).lines == 3
            assert (await client.replay("/r", keep=False))["same"] is True
            assert await sim.fields(at=4) == []
            assert await sim.fields("A", whole=True) == []
            assert (await sim.check("A.x", whole=True)).fields == ()
            assert (await sim.set(x=1, interim={"label": "now"})).interim.label == "now"

    twin.play(scenario)
    sent = [one for one in asked if one[0] != "seam.hello"]
    assert sent == [
        ("sim.explain", {"sim": "s", "screen": "A", "field": "x"}),
        ("sim.trace", {"sim": "s"}),
        ("sim.trace", {"sim": "s", "from": 2}),
        ("sim.trace", {"sim": "s", "from": 2, "skip": 1}),
        ("sim.trace", {"sim": "s", "from": 1, "to": 2, "limit": 1}),
        ("sim.fork", {"sim": "s", "id": "f", "at": 4}),
        ("sim.fork", {"sim": "s", "id": "f", "atTurn": 3}),
        ("sim.get", {"sim": "s", "atTurn": 2}),
        ("rec.start", {"sim": "s", "path": "/r"}),
        ("rec.stop", {"sim": "s"}),
        ("rec.replay", {"path": "/r", "keep": False}),
        ("sim.get", {"sim": "s", "at": 4}),
        ("sim.get", {"sim": "s", "screen": "A", "whole": True}),
        ("sim.check", {"sim": "s", "fields": ["A.x"], "whole": True}),
        ("model.set", {"sim": "s", "values": {"x": 1}, "interim": {"label": "now"}}),
    ]
