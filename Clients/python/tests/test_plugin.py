"""The pytest plug-in, in test runs of its own."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from conftest import ROOT, find

import seamd.sync

STALE = """
    from seamd.testing import assert_matching, assert_verdict

    def test_stale(seam_sim):
        sim = seam_sim("lessons.hosting-unassigned", "demo")
        sim.set(openCount=7)
        assert_matching(sim)

    def test_repaired(seam_sim):
        sim = seam_sim("lessons.hosting-unassigned")
        sim.set(openCount=7)
        assert_verdict(sim, "HostingController.openCount", "stale")
        sim.assign("host")
        assert assert_matching(sim).counts["matching"] == 3
        assert_matching(sim, "HostingController.title")
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """A test run of its own, with nothing of this one but the plug-in."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "Clients/python"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def make(source, *arguments):
        pytester.makepyfile(source)
        return pytester.runpytest_subprocess("-p", "seamd.pytest_plugin", "-p", "no:cacheprovider", *arguments)

    return make


def test_a_failure_is_the_table_and_what_the_daemon_knows(run):
    result = run(STALE)
    result.assert_outcomes(passed=1, failed=1)
    text = result.stdout.str()
    result.stdout.fnmatch_lines(
        [
            "*AssertionError: 1 of 3 fields of demo are not matching:",
            "E  *",
            "E  *field                        verdict   model  screen",
            "E  *HostingController.openCount  stale     7      3",
            "E  *changed in turn 2*",
            "E  *HostingController.title      matching  Tasks  Tasks",
            "E  *HostingController.filter     matching  open   open",
        ]
    )
    assert "in assert_matching" not in text and "testing.py" not in text, "the traceback shows the helper, not the test"


def test_nothing_is_done_unasked(run, monkeypatch):
    monkeypatch.setenv("SEAMD", "/nosuch/seamd")
    result = run("def test_nothing(): pass\n\n\ndef test_asks(seam): pass\n")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*seam_daemon: no /nosuch/seamd to start (from $SEAMD)*"])


def test_one_daemon_serves_the_run_and_ends_with_it(run, pytester):
    result = run(
        """
        import asyncio, os, pytest, seamd
        seen = []

        def test_one(seam, seam_daemon):
            seen.append(seam.hello()["pid"])
            with open("pid", "w") as file:
                file.write(str(seen[0]))

        def test_two(seam, seam_sim):
            assert seam.hello()["pid"] == seen[0]
            sim = seam_sim("live", "mine")
            sim.show("A", x=1)
            assert [one.sim for one in seam.simulations()] == ["mine"]

        def test_three(seam, seam_async):
            assert seam.simulations() == []
            async def scenario():
                async with seam_async(timeout=2) as client, client.create("live") as sim:
                    await sim.show("A", x=1)
                    from seamd.testing import async_assert_matching, async_assert_verdict
                    await async_assert_verdict(sim, "A.x", "leftover")
                    with pytest.raises(AssertionError, match="A.x of s1 is leftover, not matching"):
                        await async_assert_matching(sim)
                    with pytest.raises(AssertionError, match="is leftover, not stale"):
                        await async_assert_verdict(sim, "A.x", "stale")
                    return client.timeout
            assert asyncio.run(scenario()) == 2
        """
    )
    result.assert_outcomes(passed=3)
    with pytest.raises(ProcessLookupError):
        os.kill(int((pytester.path / "pid").read_text()), 0)


def test_a_running_daemon_is_used_and_left_alone(run, start, monkeypatch):
    daemon = start()
    monkeypatch.setenv("SEAMD", "/nosuch")
    result = run(STALE, f"--seam-socket={daemon.path}")
    result.assert_outcomes(passed=1, failed=1)
    with seamd.sync.connect(daemon.path) as client:
        assert client.simulations() == [], "a simulation was left behind"
        assert client.stats()["requests"] > 5
    run(STALE, f"--seam-socket={daemon.path}x").assert_outcomes(errors=2)


def test_a_test_that_ends_the_daemon_says_so_and_the_next_has_another(run):
    result = run(
        """
        import os, signal

        def test_kills(seam, seam_sim):
            sim = seam_sim("live")
            os.kill(seam.hello()["pid"], signal.SIGKILL)
            with sim:
                sim.show("A", x=1)

        def test_goes_on(seam_sim):
            assert seam_sim("live").show("A", x=1).changes == 1

        def test_asks_in_vain(seam, seam_daemon):
            seam.shutdown()
            while seam_daemon.why_gone() is None:
                pass
            for _ in range(2):
                try:
                    seam.ping()
                except Exception as problem:
                    last = problem
            raise last from None

        def test_ends_it_and_is_content(seam):
            seam.shutdown()

        def test_goes_on_again(seam, seam_async):
            import asyncio

            async def scenario():
                async with seam_async() as client:
                    return await client.ping()

            assert asyncio.run(scenario()) == seam.ping()
        """
    )
    result.assert_outcomes(passed=3, failed=2)
    text = result.stdout.str()
    assert text.count("the private daemon of this run ended during this test") == 2
    assert "the private daemon that listened at" in text
    for wrong in ("During handling", "direct cause", "Start one with"):
        assert wrong not in text


def test_a_daemon_that_cannot_be_started_is_one_message(run, monkeypatch):
    monkeypatch.setenv("SEAMD", "/nosuch/seamd")
    result = run("def test_asks(seam): pass\n")
    assert "During handling" not in result.stdout.str() and "direct cause" not in result.stdout.str()


def test_a_plugin_file_that_is_none(run):
    result = run(STALE, "--seam-plugin=nosuch.so")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*nosuch.so*"])


@pytest.mark.parametrize("wish, kept", [("off", []), ("on", ["stale", "repaired"]), ("retain-on-failure", ["stale"])])
def test_traces_are_kept_as_wished_and_named_in_the_report(run, pytester, wish, kept):
    run(STALE, f"--seam-trace={wish}", "--junitxml=report.xml").assert_outcomes(passed=1, failed=1)
    found = {}
    for case in ElementTree.parse(pytester.path / "report.xml").iter("testcase"):
        for one in case.iter("property"):
            assert one.get("name") == "seam_trace"
            found[case.get("name").removeprefix("test_")] = one.get("value")
    assert sorted(found) == sorted(kept)
    folder = pytester.path / "seam-traces"
    assert {str(one) for one in folder.glob("*")} == set(found.values())
    for path in found.values():
        lines = [json.loads(line) for line in open(path, encoding="utf-8")]
        assert len(lines) > 4, f"{path} tells nothing"


def test_traces_have_a_folder_and_a_file_for_each_simulation(run, pytester):
    result = run(
        """
        import pytest

        @pytest.mark.parametrize("name", ["a/b", "ü"])
        def test_two(seam_sim, name):
            one, two = seam_sim("live"), seam_sim("live", "second")
            one.show("A", x=1)
            two.show("B", y="é")
        """,
        "--seam-trace=on", "--seam-trace-dir=out/here",
    )  # fmt: skip
    result.assert_outcomes(passed=2)
    names = sorted(one.name for one in (pytester.path / "out/here").glob("*"))
    assert len(names) == 4 and all(name.endswith(".jsonl") for name in names)
    assert all((pytester.path / "out/here" / name).read_text(encoding="utf-8") for name in names)


def test_assertions_that_would_say_nothing(seam_sim):
    from seamd.testing import assert_matching, assert_verdict

    sim = seam_sim("live")
    with pytest.raises(AssertionError, match="has no field, so nothing of it is matching"):
        assert_matching(sim)
    sim.declare("A", "x")
    with pytest.raises(AssertionError, match="no field of .* is in scope"):
        assert_matching(sim)
    with pytest.raises(AssertionError, match="A.x of .* is out-of-scope, not matching"):
        assert_matching(sim, "A.x")
    with pytest.raises(ValueError, match="is no verdict"):
        assert_verdict(sim, "A.x", "fine")
    with pytest.raises(ValueError, match="Screen.field"):
        assert_verdict(sim, "x", "stale")
    with pytest.raises(seamd.UnknownFieldError):
        assert_verdict(sim, "A.y", "stale")


def test_explanations_are_shown_where_the_daemon_has_them(serve):
    """Against a server that has sim.explain, since this daemon may not."""
    from test_wrong_input import answering, reply

    from seamd.testing import assert_matching

    field = {"screen": "A", "field": "x", "verdict": "stale", "model": "2", "shown": "1"}
    results = {
        "rpc.discover": {"methods": [{"name": "sim.explain"}, {"name": "sim.check"}]},
        "sim.create": {"sim": "s", "epoch": "1" * 16, "seq": 0, "turn": 1},
        "sim.check": {"label": "s", "fields": [field], "counts": {}, "diagnostics": []},
        "sim.explain": {**field, "sim": "s", "sentence": "host was last assigned in turn 1", "carriers": [], "calls": []},
    }  # fmt: skip
    server = serve(answering(lambda connection, request, _: reply(connection, request["id"], results[request["method"]])))
    with seamd.sync.connect(server.path) as client:
        with pytest.raises(AssertionError, match="A.x +stale +2 +1\n +host was last assigned in turn 1"):
            assert_matching(client.create("live"))


def test_the_package_is_typed_and_says_one_version():
    """mypy --strict over the package, and over a program that uses it."""
    folder = ROOT / "Clients/python"
    project = (folder / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{seamd.__version__}"' in project
    assert seamd.__version__ in subprocess.run([find("seam"), "--version"], capture_output=True, text=True).stdout
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null", "seamd", "compare.py", "../examples/terminal/tasks.py"],
        cwd=folder, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout + checked.stderr
