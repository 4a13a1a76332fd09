"""Uses what a type checker has to know; nothing here is run. Each ignored line is a mistake that it has to find."""

import seamd
import seamd.sync
from seamd import testing


def watches(client: seamd.sync.Client, sim: seamd.Simulation) -> None:
    client.watch("app/*", mode="all", only="verdicts", snapshot=False, reconnect=None)
    sim.watch(["A.*"], mode="latest", after=seamd.Cursor("1" * 16, 1), reconnect=0)
    client.watch(mode="al")  # type: ignore[arg-type]
    sim.watch(mode="al")  # type: ignore[arg-type]
    sim.watch(only="verdict")  # type: ignore[arg-type]
    sim.watch(start="now")  # type: ignore[call-arg]
    sim.watch(snapshot="now")  # type: ignore[arg-type]
    sim.watch(after=7)  # type: ignore[arg-type]


def calls(client: seamd.sync.Client, sim: seamd.sync.Simulation) -> None:
    client.create("live", clock="real", lifetime="connection")
    client.create("live", clock="unreal")  # type: ignore[arg-type]
    client.create("live", lifetime="forever")  # type: ignore[arg-type]
    sim.set(a=1, interim={"label": "half way", "fields": ["A.a"]})
    sim.set({"a": 1}, interim={"labels": "x"})  # type: ignore[arg-type]
    sim.set_host("host", scene="active")
    sim.set_host("host", scene="gone")  # type: ignore[arg-type]
    sim.wait_for("A.a", "fine")  # type: ignore[arg-type]
    field = sim.check("A.a")["A.a"]
    size: int = field.modelBytes or field.shownBytes or 0
    whole: bool = size == 0 and not field.cut
    print(whole, field.why, client.hello["pid"])


def connecting() -> None:
    seamd.sync.connect(private=True, plugins=["a.so"], arguments=["--ring-entries", "64"], timeout=None)
    seamd.connect(private=True, plugin_dirs=["a"], program="seamd", environment={})
    seamd.connect(plugin=["a.so"])  # type: ignore[call-arg]


def tests(blocking: seamd.sync.Simulation, other: seamd.Simulation) -> None:
    testing.assert_becomes(blocking, "A.a", "stale", timeout=1)
    testing.assert_matching(other)  # type: ignore[arg-type]
    testing.assert_becomes(blocking, "A.a", "stail")  # type: ignore[arg-type]


def events(event: seamd.Event) -> None:
    if isinstance(event, seamd.Gap) and event.reason == "slow":
        print(event.after, event.latest)
    if isinstance(event, seamd.Gap) and event.reason == "fast":  # type: ignore[comparison-overlap]
        print(event)
    if isinstance(event, seamd.Restarted) and event.new is not None:
        print(event.new.upper())
    if isinstance(event, (seamd.State, seamd.Change)) and event.cut:
        print(event.modelBytes)
