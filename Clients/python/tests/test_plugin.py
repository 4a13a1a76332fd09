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
            "E  *field                        verdict   model    screen",
            "E  *HostingController.openCount  stale     '7'      '3'",
            "E  *changed in turn 2*",
            "E  *HostingController.title      matching  'Tasks'  'Tasks'",
            "E  *HostingController.filter     matching  'open'   'open'",
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
            seen.append(seam.hello["pid"])
            with open("pid", "w") as file:
                file.write(str(seen[0]))

        def test_two(seam, seam_sim):
            assert seam.hello["pid"] == seen[0]
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
            os.kill(seam.hello["pid"], signal.SIGKILL)
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


def failure(check, *args):
    with pytest.raises(AssertionError) as found:
        check(*args)
    return str(found.value)


def test_what_differs_can_be_seen(seam_sim):
    """Values that differ look different, however long, in whatever script, and beside none."""
    from seamd.testing import assert_matching

    sim = seam_sim("live")
    long = "x" * 100
    sim.set(a="5", b="none", c=None, d=f"{long}Aend{long}", e="日本語", f="ﬁ", g="a\u00a0b", h="", i="y" * 9000)
    sim.show("T", a="5 ", b=None, c="none", d=f"{long}Bend{long}", e="日本", f="fi", g="a b", h=None, i="y" * 8999)
    text = failure(assert_matching, sim)
    rows = {line.split()[0]: line for line in text.splitlines() if line.startswith("  T.")}
    assert rows["T.a"].endswith("  '5 '") and "  '5'  " in rows["T.a"]
    assert "  'none'  " in rows["T.b"] and rows["T.b"].endswith("  none")
    assert "  none  " in rows["T.c"] and rows["T.c"].endswith("  'none'")
    assert "…'xxxxxxxxxxAendx" in rows["T.d"] and "…'xxxxxxxxxxBendx" in rows["T.d"]
    assert rows["T.f"].split()[-2:] == ["'\\ufb01'", "'fi'"]
    assert "'a\\xa0b'" in rows["T.g"] and "  ''  " in rows["T.h"]
    assert "9,000 bytes, of which the daemon gives the first 4,096" in text and "they differ behind that" in text
    # A character of two columns takes two: what follows it stands in its column.
    wide, narrow = rows["T.e"], rows["T.a"]
    assert wide.index("'日本'") + len("日本語") == narrow.index("'5 '")


def test_a_large_failure_is_short_and_takes_no_time(seam_sim):
    from seamd.testing import assert_matching

    sim = seam_sim("live")
    sim.set({f"f{n}": "a" for n in range(8000)})
    sim.show("S", {f"f{n}": "b" if n else "a" for n in range(8000)})
    before = sim.client.stats()["requests"]
    text = failure(assert_matching, sim)
    assert text.startswith(f"7,999 of 8,000 fields of {sim.id} are not matching:")
    assert text.endswith("… and 7,959 that are wrong and 1 others")
    assert len(text) < 10_000 and text.count("the model changed in turn") == 40
    assert sim.client.stats()["requests"] - before <= 4, "one request for each field"


def test_a_simulation_without_a_trace_has_no_whys_and_is_told_all_the_same(seam_sim):
    from seamd.testing import assert_matching

    sim = seam_sim("live", trace=False)
    sim.show("A", x=1)
    assert "  A.x    leftover  none   '1'" in failure(assert_matching, sim)


def test_what_does_not_become_is_shown_and_explained(seam_sim, seam_async):
    import asyncio

    from seamd.testing import assert_becomes, async_assert_becomes

    sim = seam_sim("live")
    sim.set(x=2)
    sim.show("A", x=1, y=None)
    assert assert_becomes(sim, "A.x", "stale").shown == "1"

    def late(field, verdict="matching"):
        with pytest.raises(AssertionError) as found:
            assert_becomes(sim, field, verdict, timeout=0.2)
        return str(found.value)

    async def late_there():
        async with seam_async() as client:
            with pytest.raises(AssertionError) as found:
                await async_assert_becomes(client.simulation(sim.id), "A.x", timeout=0.2)
            assert (await async_assert_becomes(client.simulation(sim.id), "A.x", "stale")).shown == "1"
            return str(found.value)

    for text in (late("A.x"), asyncio.run(late_there())):
        assert text.startswith("A.x did not become matching within 0.2 s: it is stale")
        assert "A.x    stale    '2'    '1'" in text and "A.x is stale: the model changed in turn 2" in text
    assert "there is no such field; did you mean A." in late("A.z")
    with pytest.raises(ValueError, match="is no verdict"):
        assert_becomes(sim, "A.x", "fine")


def test_the_twins_are_not_mistaken_for_each_other(seam_sim, seam_async):
    import asyncio

    from seamd import testing

    names = ("assert_matching", "assert_verdict", "assert_becomes")
    blocking = seam_sim("live")

    async def scenario():
        async with seam_async() as client, client.create("live") as sim:
            for name in names:
                with pytest.raises(TypeError, match=rf"this is one of the asyncio client: await async_{name}"):
                    getattr(testing, name)(sim, "A.x", "stale")
                with pytest.raises(TypeError, match=rf"this is one of seamd.sync: {name}"):
                    await getattr(testing, f"async_{name}")(blocking, "A.x", "stale")

    asyncio.run(scenario())


def test_a_mistake_in_a_test_is_its_line_and_a_sentence(run):
    """No source of the package, however deep in it the mistake was found."""
    mistakes = {
        "scenario": 'seam_sim("lessons.nosuch")',
        "field": 'assert_verdict(seam_sim("lessons.own-state"), "A.nosuch", "stale")',
        "form": 'assert_verdict(seam_sim("live"), "nosuch", "stale")',
        "value": 'seam_sim("live").set(x=float("nan"))',
        "wait": 'seam_sim("live").wait_for("A.nosuch", timeout=0.1)',
        "loop": "asyncio.run(lost(seam_async))",
    }
    source = """
import asyncio
from seamd.testing import assert_verdict

async def lost(seam_async):
    async with seam_async() as client:
        await client.simulation("nosuch").set(x=1)
"""
    for name, line in mistakes.items():
        source += f"\n\ndef test_{name}(seam_sim, seam_async):\n    {line}\n"
    result = run(source)
    result.assert_outcomes(failed=len(mistakes))
    text = result.stdout.str()
    for file in ("seamd/", "_wire.py", "client.py", "testing.py", "sync.py"):
        assert file not in text, text
    assert text.count("nosuch") >= 5 and "nan" in text
    # Who looks for the fault in the package still can.
    assert "sync.py" in run(source, "--full-trace").stdout.str()


def test_each_test_has_recordings_of_its_own_that_are_there(run, pytester):
    """Ids that differ in what no file name holds, ids that are long, and a test that passes behind one that failed."""
    result = run(
        """
        import pytest

        @pytest.mark.parametrize("name", ["<", ">", "==", "a/b", "a-b", "x" * 400 + "1", "x" * 400 + "2"])
        def test_op(seam_sim, name):
            seam_sim("live", "one").show("A", x=1)
            assert name in (">", "==")
        """,
        "--seam-trace=retain-on-failure", "--junitxml=report.xml",
    )  # fmt: skip
    result.assert_outcomes(passed=2, failed=5)
    files = named(pytester)
    assert len(files) == len(set(files)) == 5 and all(os.path.isfile(one) for one in files)
    assert sorted(os.listdir(pytester.path / "seam-traces")) == sorted(os.path.basename(one) for one in files)


def named(pytester):
    """The files that the report names."""
    properties = ElementTree.parse(pytester.path / "report.xml").iter("property")
    return [one.get("value") for one in properties if one.get("name") == "seam_trace"]


def test_what_fails_in_another_fixture_is_recorded_too(run, pytester):
    result = run(
        """
        import asyncio, pytest

        @pytest.fixture
        def early():
            yield
            raise RuntimeError("torn down after seam_sim")

        def test_passes_and_fails_at_its_end(early, seam_sim):
            seam_sim("live").show("A", x="torn down")

        def test_with_asyncio(seam_async):
            async def scenario():
                async with seam_async() as client:
                    left = await client.create("live")
                    await left.show("A", x="last words")
            asyncio.run(scenario())
            assert False

        def test_with_a_client(seam):
            seam.create("live").show("A", x="by client")
            assert False

        def test_of_no_such_scenario(seam_sim):
            seam_sim("nosuch")

        @pytest.mark.xfail
        def test_expected(seam_sim):
            seam_sim("live", "expected")
            assert False
        """,
        "--seam-trace=retain-on-failure", "--junitxml=report.xml",
    )  # fmt: skip
    result.assert_outcomes(passed=1, failed=3, errors=1, xfailed=1)
    texts = [open(one, encoding="utf-8").read() for one in named(pytester)]
    assert len(texts) == 3 == len(os.listdir(pytester.path / "seam-traces"))
    # All of it, also of a simulation that the test has left behind.
    for words in ("torn down", "last words", "by client"):
        assert sum(words in one and '"end"' in one for one in texts) == 1


def test_recordings_of_an_earlier_run_are_taken_away_and_nothing_else(run, pytester):
    failing = "def test_x(seam_sim):\n    seam_sim('live')\n    assert False\n"
    run(failing, "--seam-trace=on")
    folder = pytester.path / "seam-traces"
    (first,) = folder.iterdir()
    (folder / "notes.jsonl").write_text("mine")
    run(failing.replace("test_x", "test_y"), "--seam-trace=on", "--collect-only")
    assert first.exists()
    run(failing.replace("test_x", "test_y"), "--seam-trace=on")
    assert not first.exists() and len(list(folder.iterdir())) == 2
    assert (folder / "notes.jsonl").read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_one_line(run):
    result = run(STALE, "--seam-trace=on", "--seam-trace-dir=/proc/x")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "ERROR: --seam-trace-dir=/proc/x cannot be used" in result.stderr.str()
    assert "Traceback" not in result.stderr.str() + result.stdout.str()


def test_the_package_is_typed_and_says_one_version():
    """mypy --strict over the package, and over a program that uses it."""
    folder = ROOT / "Clients/python"
    project = (folder / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{seamd.__version__}"' in project
    assert seamd.__version__ in subprocess.run([find("seam"), "--version"], capture_output=True, text=True).stdout
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null", "seamd", "compare.py", "rate.py",
         "tests/uses.py", "../examples/terminal/tasks.py"],
        cwd=folder, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout + checked.stderr
