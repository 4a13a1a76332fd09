"""Streams whose connection, daemon or simulation goes away under them: nothing lost, nothing doubled, or it is said."""

import json
import socket
import threading

import pytest
from conftest import relay

import seamd
import seamd.sync
from seamd import Change, End, Gap, Lag, Restarted, State, Sync, Unknown


def publish(path, sim, first, last):
    with seamd.sync.connect(path) as client:
        for value in range(first, last + 1):
            client.simulation(sim).set(count=value)


def live(path, name="app"):
    client = seamd.sync.connect(path)
    sim = client.create("live", name)
    sim.show("Toolbar", count=0)
    return client, sim


def test_a_cut_connection_is_resumed_without_loss_or_repeat(twin, start, serve):
    daemon = start()
    proxy = serve(relay(daemon.path), "proxy.sock")
    owner, sim = live(daemon.path)
    total = 3000

    async def scenario():
        publisher = threading.Thread(target=publish, args=(daemon.path, "app", 1, total))
        seen, cuts = [], 0
        async with twin.connect(proxy.path) as client:
            watch = await client.simulation("app").watch(mode="all").opened()
            publisher.start()
            async for event in watch:
                assert isinstance(event, (State, Sync, Change, seamd.Mark)), event
                if isinstance(event, Change):
                    seen.append(event)
                    if len(seen) % 250 == 100:
                        cuts += 1
                        proxy.cut()
                    if event.model == str(total):
                        break
            await watch.aclose()
        publisher.join(20)
        return seen, cuts

    seen, cuts = twin.play(scenario)
    assert cuts >= 10
    assert [event.model for event in seen] == [str(value) for value in range(1, total + 1)]
    assert [event.seq for event in seen] == list(range(seen[0].seq, seen[0].seq + total))
    owner.close()


def test_history_that_is_gone_is_said_and_the_state_told_anew(twin, start, serve):
    daemon = start("--ring-entries", "16")
    proxy = serve(relay(daemon.path), "proxy.sock")
    owner, sim = live(daemon.path)

    async def scenario():
        async with twin.connect(proxy.path) as client:
            watch = await client.simulation("app").watch().opened()
            assert [type(await watch.next()) for _ in range(2)] == [State, Sync]
            before = watch.cursor
            # The daemon's side of the relay is closed before the changes come, so none is sent to nobody.
            proxy.close()
            publish(daemon.path, "app", 1, 100)
            again = serve(relay(daemon.path), "proxy.sock")
            gap = await watch.next()
            assert isinstance(gap, Gap) and gap.after == before and gap.latest == before.seq + 100
            assert gap.oldest > before.seq + 1
            state, sync = await watch.next(), await watch.next()
            assert isinstance(state, State) and state.model == "100" and isinstance(sync, Sync)
            publish(daemon.path, "app", 101, 101)
            assert (await watch.next()).model == "101"
            await watch.aclose()
            again.cut()

    twin.play(scenario)
    owner.close()


def test_a_killed_daemon_is_waited_for_and_its_successor_told_apart(twin, start):
    first = start()
    owner, sim = live(first.path)
    publish(first.path, "app", 1, 50)

    async def scenario():
        async with twin.connect(first.path) as client:
            watch = await client.simulation("app").watch(mode="all").opened()
            assert [type(await watch.next()) for _ in range(2)] == [State, Sync]
            publisher = threading.Thread(target=lambda: publish_until_killed(first.path))
            publisher.start()
            seen = []
            while len(seen) < 200:
                event = await watch.next()
                assert isinstance(event, Change)
                seen.append(event)
            first.kill()
            publisher.join(20)
            epoch = sim.epoch

            def follow():
                # The simulation comes a while after the daemon, as it does with any program that makes it anew.
                start()
                again, fresh = live(first.path)
                publish(first.path, "app", 1, 5)
                followers.append((again, fresh))

            followers = []
            follower = threading.Thread(target=follow)
            follower.start()
            # What had been written into the socket before the kill comes first, and is all in order.
            while isinstance(event := await watch.next(), Change):
                seen.append(event)
            assert [one.seq for one in seen] == list(range(seen[0].seq, seen[0].seq + len(seen)))
            follower.join(20)
            # It may have been said before the simulation was there.
            assert isinstance(event, Restarted) and event.old == epoch and event.new in (None, followers[0][1].epoch)
            told = [await watch.next() for _ in range(2)]
            changes = []
            if not isinstance(told[0], State):
                pytest.fail(f"after a restart comes the state, not {told}")
            last = int(told[0].model or 0)
            while last < 5:
                event = await watch.next()
                assert isinstance(event, (Change, Sync))
                if isinstance(event, Change):
                    changes.append(int(event.model))
                    last = changes[-1]
            assert changes == list(range(int(told[0].model or 0) + 1, 6))
            # The calls' own connection comes back too.
            assert await client.ping()
            await watch.aclose()

    def publish_until_killed(path):
        with pytest.raises(seamd.SeamError):
            publish(path, "app", 51, 10_000_000)

    twin.play(scenario)


def test_a_daemon_that_does_not_come_back_is_said(twin, start):
    daemon = start()
    owner, _ = live(daemon.path)

    async def scenario():
        async with twin.connect(daemon.path) as client:
            patient = await client.simulation("app").watch(reconnect=0.3).opened()
            hasty = await client.simulation("app").watch(reconnect=0).opened()
            daemon.kill()
            for watch, error in ((patient, seamd.ConnectError), (hasty, seamd.Interrupted)):
                with pytest.raises(error, match="seam.sock"):
                    while await watch.next() is not None:
                        pass
            with pytest.raises(seamd.SeamError):
                await client.ping()
            with pytest.raises(seamd.ConnectError, match="one has been there and is gone. Start one with: seamd"):
                await client.ping()
            start()
            assert await client.ping()

    twin.play(scenario)


def test_an_orderly_end_is_an_end_unless_another_follows(twin, start):
    daemon = start()
    owner, _ = live(daemon.path)

    async def scenario():
        async with twin.connect(daemon.path) as client:
            watch = await client.simulation("app").watch(reconnect=0).opened()
            await client.shutdown()
            events = [event async for event in watch]
            assert isinstance(events[-1], End) and events[-1].reason == "shutdown"
        daemon.close()
        second = start()
        again, _ = live(second.path)
        async with twin.connect(second.path) as client:
            waiting = await client.simulation("app").watch(reconnect=0.3).opened()
            await client.shutdown()
            events = [event async for event in waiting]
            assert isinstance(events[-1], End) and events[-1].reason == "shutdown"
            third = await start_again(second)
            assert third is not None
        again.close()

    async def start_again(one):
        one.close()
        return start()

    twin.play(scenario)


def test_a_simulation_that_was_destroyed_meanwhile(twin, start, serve):
    daemon = start()
    proxy = serve(relay(daemon.path), "proxy.sock")
    owner, sim = live(daemon.path)

    async def scenario():
        async with twin.connect(proxy.path) as client:
            watch = await client.simulation("app").watch().opened()
            assert [type(await watch.next()) for _ in range(2)] == [State, Sync]
            proxy.close()
            sim.destroy()
            serve(relay(daemon.path), "proxy.sock")
            rest = [event async for event in watch]
            assert [type(one) for one in rest if not isinstance(one, Change)] == [End]
            assert rest[-1].reason == "destroyed"

    twin.play(scenario)
    owner.close()


def test_a_simulation_of_the_same_name_is_another(twin, start):
    daemon = start()
    owner, sim = live(daemon.path)

    async def scenario():
        async with twin.connect(daemon.path) as client:
            watch = await client.simulation("app").watch().opened()
            assert [type(await watch.next()) for _ in range(2)] == [State, Sync]
            cursor = watch.cursor
            await watch.aclose()
            sim.destroy()
            _, fresh = live(daemon.path)
            later = await client.simulation("app").watch(after=cursor).opened()
            restarted = await later.next()
            assert isinstance(restarted, Restarted)
            assert (restarted.old, restarted.new) == (cursor.epoch, fresh.epoch)
            assert isinstance(await later.next(), State)
            await later.aclose()

    twin.play(scenario)
    owner.close()


def test_the_stream_of_all_resumes_by_its_own_numbers(twin, start, serve):
    daemon = start()
    proxy = serve(relay(daemon.path), "proxy.sock")
    owners = [live(daemon.path, name) for name in ("one", "two")]

    async def scenario():
        async with twin.connect(proxy.path) as client:
            watch = await client.watch(mode="all").opened()
            while not isinstance(await watch.next(), Sync):
                pass
            publish(daemon.path, "one", 1, 3)
            seen = [await watch.next() for _ in range(3)]
            proxy.cut()
            publish(daemon.path, "two", 1, 3)
            while len(seen) < 6:
                event = await watch.next()
                assert isinstance(event, (Change, Sync)), event
                if isinstance(event, Change):
                    seen.append(event)
            assert [(one.sim, one.model) for one in seen] == [(sim, str(n)) for sim in ("one", "two") for n in (1, 2, 3)]
            assert [one.dseq for one in seen] == list(range(seen[0].dseq, seen[0].dseq + 6))
            await watch.aclose()

    twin.play(scenario)
    for client, _ in owners:
        client.close()


def test_a_kind_that_nobody_knows_yet(twin, serve):
    line = {"sub": 1, "sim": "s", "kind": "weather", "seq": 4, "sky": "blue"}

    def script(connection, _):
        for request in map(json.loads, connection.makefile("rb")):
            result = {"protocol": {"major": 1, "minor": 9}, "daemonEpoch": "0" * 16}
            if request["method"] == "sub.open":
                result = {"sub": 1, "epoch": "1" * 16, "seq": 3, "count": 0, "more": True}
            connection.sendall(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode() + b"\n")
            if request["method"] == "sub.open":
                for params in (line, {"sub": 1, "kind": "end", "reason": "closed", "new": 1}):
                    event = {"jsonrpc": "2.0", "method": "seam.event", "params": params}
                    connection.sendall(json.dumps(event).encode() + b"\n")

    async def scenario():
        async with twin.connect(serve(script).path) as client:
            unknown, end = [event async for event in client.simulation("s").watch()]
            assert isinstance(unknown, Unknown) and unknown.kind == "weather" and unknown.params["sky"] == "blue"
            assert end == End(reason="closed")

    twin.play(scenario)


def test_a_slow_consumer_is_told_and_costs_no_memory(twin, start):
    """Fifty thousand changes to a reader that has stopped: the daemon says lag, and this process stays as large as it was."""
    daemon = start()
    owner, sim = live(daemon.path)

    async def scenario():
        async with twin.connect(daemon.path) as client:
            watch = await client.simulation("app").watch().opened()
            assert [type(await watch.next()) for _ in range(2)] == [State, Sync]
            before = resident()
            total = 50_000
            for first in range(0, total, 200):
                calls = [("model.set", {"sim": "app", "values": {"count": first + one}}) for one in range(1, 201)]
                await client.batch(calls)
            grown = resident() - before
            assert grown < 16_000, f"{grown} KiB for a stream that nobody reads"
            lags, last = [], None
            while last != str(total):
                event = await watch.next()
                if isinstance(event, Lag):
                    lags.append(event)
                elif isinstance(event, Change):
                    last = event.model
            assert lags and sum(one.collapsed or 0 for one in lags) > total / 2
            await watch.aclose()

    twin.play(scenario, 60)
    owner.close()


def test_a_slow_consumer_of_every_change_is_told_what_it_lost(twin, start):
    daemon = start("--ring-entries", "64")
    owner, sim = live(daemon.path)

    async def scenario():
        async with twin.connect(daemon.path) as client:
            watch = await client.simulation("app").watch(mode="all", reconnect=0).opened()
            for first in range(0, 20_000, 200):
                calls = [("model.set", {"sim": "app", "values": {"count": first + one}}) for one in range(1, 201)]
                await client.batch(calls)
            events = [event async for event in watch]
            lag, end = events[-2:]
            assert isinstance(lag, Lag) and lag.lost and isinstance(end, End) and end.reason == "slow"
            assert end.resume is not None and end.resume.epoch == sim.epoch and watch.cursor == end.resume
            # What comes then lets the ring of 64 go far beyond the place, and who goes on there is told that too.
            await client.batch([("model.set", {"sim": "app", "values": {"count": one}}) for one in range(20_001, 20_201)])
            rest = await client.simulation("app").watch(mode="all", after=end.resume).opened()
            gap, state = await rest.next(), await rest.next()
            assert isinstance(gap, Gap) and gap.after == end.resume and gap.latest == 20_201
            assert isinstance(state, State) and state.model == "20200"
            await rest.aclose()

    twin.play(scenario, 60)
    owner.close()


@pytest.mark.parametrize("of_all", [False, True], ids=["of one", "of all"])
def test_a_slow_consumer_of_every_change_goes_on_with_a_gap_and_a_snapshot(twin, start, of_all):
    daemon = start("--ring-entries", "64")
    owner, sim = live(daemon.path)

    async def scenario():
        async with twin.connect(daemon.path) as client:
            watch = await (client.watch(mode="all") if of_all else client.simulation("app").watch(mode="all")).opened()
            for first in range(0, 20_000, 200):
                calls = [("model.set", {"sim": "app", "values": {"count": first + one}}) for one in range(1, 201)]
                await client.batch(calls)
            seen = []
            while not (isinstance(event := await watch.next(), State) and event.model == "20000"):
                assert event is not None, "the stream ended, and the simulation runs on"
                seen.append(event)
            gap, lag = (next(one for one in reversed(seen) if isinstance(one, kind)) for kind in (Gap, Lag))
            assert gap.reason == "slow" and gap.after is not None and lag.lost
            assert seen.index(lag) < seen.index(gap) and not any(isinstance(one, (End, Restarted)) for one in seen)
            assert isinstance(await watch.next(), Sync)
            assert watch.cursor.seq > gap.after.seq
            publish(daemon.path, "app", 20_001, 20_001)
            assert (await watch.next()).model == "20001"
            await watch.aclose()

    twin.play(scenario, 60)
    owner.close()


def test_a_snapshot_that_breaks_off_is_said(twin, serve):
    """A stream that is cut before its snapshot is complete begins anew, and says why states come twice."""
    state = {"sub": 1, "sim": "s", "kind": "state", "seq": 3, "screen": "A", "field": "x", "verdict": "matching",
             "model": "1", "shown": "1"}  # fmt: skip
    opened = []

    def script(connection, _):
        for request in map(json.loads, connection.makefile("rb")):
            result = {"protocol": {"major": 1, "minor": 9}, "daemonEpoch": "0" * 16}
            lines = []
            if request["method"] == "sub.open":
                opened.append(request["params"])
                result = {"sub": 1, "epoch": "1" * 16, "seq": 3, "count": 1}
                lines = [state] if len(opened) == 1 else [state, {"sub": 1, "sim": "s", "kind": "sync", "seq": 3}]
            connection.sendall(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode() + b"\n")
            for params in lines:
                event = {"jsonrpc": "2.0", "method": "seam.event", "params": params}
                connection.sendall(json.dumps(event).encode() + b"\n")
            if len(lines) == 1:
                connection.shutdown(socket.SHUT_RDWR)

    async def scenario():
        async with twin.connect(serve(script).path) as client:
            watch = client.simulation("s").watch()
            seen = [await watch.next() for _ in range(4)]
            assert [type(one) for one in seen] == [State, Gap, State, Sync]
            assert seen[1] == Gap(reason="snapshot")
            await watch.aclose()

    twin.play(scenario)


def test_a_daemon_without_the_simulation_is_told_at_once(twin, start):
    """Its successor answers at once, and that it has no such simulation is not kept until the patience is over."""
    first = start()
    owner, sim = live(first.path)

    async def scenario():
        async with twin.connect(first.path) as client:
            watch = await client.simulation("app").watch(reconnect=600).opened()
            impatient = await client.simulation("app").watch(reconnect=0.5).opened()
            for one in (watch, impatient):
                assert [type(await one.next()) for _ in range(2)] == [State, Sync]
            first.kill()
            start()
            assert await watch.next(timeout=60) == Restarted(old=sim.epoch, new=None)
            assert watch.cursor is None
            with pytest.raises(seamd.Timeout, match="no simulation app"):
                await watch.next(timeout=0.2)
            assert isinstance(await impatient.next(timeout=60), Restarted)
            with pytest.raises(seamd.UnknownSimError):
                await impatient.next(timeout=60)
            again, fresh = live(first.path)
            # Said once: what follows is its snapshot.
            assert [type(await watch.next(timeout=60)) for _ in range(2)] == [State, Sync]
            assert watch.cursor.epoch == fresh.epoch
            await watch.aclose()
            again.close()

    twin.play(scenario, 120)


def test_waiting_for_a_field_says_that_the_daemon_is_another():
    from seamd._wait import Waiting

    waiting = Waiting("app", "A.x", "stale", 2)
    waiting.take(Restarted(old="1" * 16))
    assert "the daemon was started anew, and there is no simulation app in it" in str(waiting.in_vain())
    waiting.take(Sync(sim="app"))
    waiting.names(["A.y"])
    assert "there is no such field; did you mean A.y?" in str(waiting.in_vain())


def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))
