"""What the pages say is what happens."""

import doctest
import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from conftest import ROOT, find

import seamd
import seamd.sync

PAGE = (ROOT / "Clients/python/README.md").read_text(encoding="utf-8")
MAIN = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(page, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", page, re.M | re.S)


def test_the_session_of_the_page():
    text = "\n".join(blocks(PAGE, "pycon"))
    runner = doctest.DocTestRunner()
    said = []
    runner.run(doctest.DocTestParser().get_doctest(text, {}, "README.md", None, 0), out=said.append)
    assert (runner.failures, runner.tries) == (0, len(re.findall("^>>>", text, re.M))), "".join(said)


def test_the_program_of_the_page(tmp_path):
    (tmp_path / "program.py").write_text(blocks(PAGE, "python")[0], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, tmp_path / "program.py"], capture_output=True, text=True, timeout=30,
        env={**os.environ, "PYTHONPATH": str(ROOT / "Clients/python")},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == (blocks(PAGE, "text")[0], "")


def test_the_test_of_the_page(pytester, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "Clients/python"))
    source = blocks(PAGE, "python")[1]
    broken = source.replace('    sim.assign("host")\n', "")
    assert broken != source
    pytester.makepyfile(test_good=source, test_broken=broken)
    result = pytester.runpytest_subprocess("-p", "seamd.pytest_plugin", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, failed=1)
    said = "\n".join(line[8:].rstrip() for line in result.stdout.lines if line.startswith("E   "))
    expected = "\n".join(line.rstrip() for line in blocks(PAGE, "text")[1].strip().splitlines())
    # The simulation has another number when other tests made some before it.
    assert re.sub(r"of s\d+", "of s1", expected) in re.sub(r"of s\d+", "of s1", said.replace("AssertionError: ", ""))


def test_every_name_of_the_page_exists():
    for name in re.findall(r"`([A-Z]\w+)`", PAGE):
        assert hasattr(seamd, name) or name == "TimeoutError" or name in ("ValueError", "TypeError", "PATH"), name
    for line, cls in re.findall(r"- \*\*(Client|Simulation):\*\* (.*?\n(?:  .*\n)*)", PAGE):
        told = re.findall(r"`(\w+)`", cls.split(". ")[0])
        there = {one for one in vars(getattr(seamd, line)) if not one.startswith("_")} - {"open", "aclose"}
        assert set(told) == there, line


def test_the_demo_shows_a_live_stream_and_ends():
    done = subprocess.run(
        [sys.executable, "-m", "seamd.demo"], capture_output=True, text=True, timeout=30, cwd=ROOT / "Clients/python"
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    stale, matching = (f"Toolbar.openCount: model=5 screen={n} -> {verdict}" for n, verdict in ((3, "stale"), (5, "matching")))
    assert lines.index(stale) < lines.index(matching) and lines[-1] == "the stream has ended: destroyed"
    lost = subprocess.run(
        [sys.executable, "-m", "seamd.demo"], capture_output=True, text=True, timeout=30, cwd=ROOT / "Clients/python",
        env={**os.environ, "SEAMD": "/nosuch/seamd"},
    )  # fmt: skip
    assert lost.returncode == 1 and lost.stderr.startswith("seamd.demo: no /nosuch/seamd to start")


def test_the_rate_says_in_a_line_what_it_misses():
    for words, code, part in (
        ([], 1, "rate.py: no /nosuch/seamd to start"), (["x"], 2, "usage: rate.py"), (["1", "2"], 2, "usage: rate.py"),
        (["0"], 2, "usage: rate.py"),
    ):  # fmt: skip
        done = subprocess.run(
            [sys.executable, ROOT / "Clients/python/rate.py", *words], capture_output=True, text=True, timeout=30,
            env={**os.environ, "SEAMD": "/nosuch/seamd"},
        )  # fmt: skip
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", 1) and done.stderr.startswith(part)


def test_both_twins_print_what_the_daemon_said(start, folder):
    told = []
    for number, options in enumerate(([], ["--blocking"])):
        daemon = start(path=f"{folder}/{number}.sock")
        done = subprocess.run(
            [sys.executable, ROOT / "Clients/python/compare.py", daemon.path, *options], capture_output=True, timeout=30
        )
        assert (done.returncode, done.stderr) == (0, b"")
        told.append(done.stdout)
    assert told[0] == told[1]
    lines = [json.loads(line) for line in told[0].decode().splitlines()]
    assert lines[-1]["params"]["kind"] == "end" and len(lines) > 8
    assert "Aufgaben für „heute“ 📋\\n" in told[0].decode(), "a value came in another form"
    wrong = subprocess.run([sys.executable, ROOT / "Clients/python/compare.py"], capture_output=True, timeout=30)
    assert wrong.returncode == 2 and wrong.stderr.startswith(b"usage: compare.py SOCKET")


def ci_lines(kind):
    """The commands of a snippet: what stands behind `run:`, and the items below `script:`."""
    section = MAIN[MAIN.index("## In CI") :]
    snippet = next(one for one in blocks(section, "yaml") if kind in one)
    if kind == "script:":
        below = snippet[snippet.index("script:") :].split("\n")[1:]
        lines = []
        for line in below:
            if not line.startswith("    - "):
                break
            lines.append(line[len("    - ") :])
        return snippet, lines
    return snippet, re.findall(r"^ +- run: (.*)$", snippet, re.M)


@pytest.mark.parametrize("kind", ["run:", "script:"])
def test_the_snippets_for_ci_run_line_by_line(kind, tmp_path, installed, package=ROOT / "Clients/python"):
    """Each in a folder like that of a project, with seam and seamd in PATH as the page says."""
    snippet, lines = ci_lines(kind)
    assert len(lines) >= 3
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_summary.py").write_text(blocks(PAGE, "python")[1], encoding="utf-8")
    (tmp_path / "seam/Clients").mkdir(parents=True)
    (tmp_path / "seam/Clients/python").symlink_to(package)
    ran = 0
    for line in lines:
        if line.startswith("python3 -m venv") and not installed.is_real:
            # Needs PyPI: the long tests run it, see long/test_install.py. Here the folder is what it would have made.
            (tmp_path / ".venv").mkdir()
            (tmp_path / ".venv/bin").symlink_to(installed.folder)
            continue
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", line], cwd=tmp_path, env=installed.environment, capture_output=True,
            text=True, timeout=200,
        )  # fmt: skip
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        ran += 1
    assert ran >= 2
    reports = set(re.findall(r"[\w-]+\.xml", snippet))
    assert reports
    for report in reports:
        cases = list(ElementTree.parse(tmp_path / report).iter("testcase"))
        assert cases and not [one for one in cases if one.find("failure") is not None], report


class Installed:
    """As after `pip install`, with the means of this machine."""

    is_real = False

    def __init__(self, folder):
        folder.mkdir()
        self.folder = folder
        for name in ("seam", "seamd"):
            (folder / name).symlink_to(shutil.which(find(name)))
        for name in ("python3", "pytest"):
            script = folder / name
            module = " -m pytest" if name == "pytest" else ""
            script.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)}{module} \"$@\"\n")
            script.chmod(0o755)
        self.environment = {
            **os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT / "Clients/python"),
            "PYTEST_PLUGINS": "seamd.pytest_plugin", "SEAMD": "",
        }  # fmt: skip


@pytest.fixture
def installed(tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("installed") / "bin")


def test_nothing_is_installed_where_debian_refuses_it():
    """A bare `pip install` ends with externally-managed-environment on Debian 12 and later."""
    for page in (PAGE, MAIN):
        lines = [line for line in page.splitlines() if "pip install" in line]
        assert lines and all("python3 -m venv .venv && .venv/bin/pip install" in line for line in lines)


def test_the_page_has_every_option_of_watch_with_its_default():
    """And Node has the same limits, in milliseconds."""
    table = dict(re.findall(r'^\| `(\w+)=([^`]+)`', PAGE, re.MULTILINE))
    for owner in (seamd.Client, seamd.Simulation, seamd.sync.Client, seamd.sync.Simulation):
        options = dict(inspect.signature(owner.watch).parameters)
        del options["self"]
        assert set(options) == set(table), owner
        assert float(table["reconnect"]) == options["reconnect"].default
    limit = inspect.signature(seamd.connect).parameters["timeout"].default
    assert inspect.signature(seamd.sync.connect).parameters["timeout"].default == limit
    assert f"connect(path=None, timeout={limit})" in PAGE
    node = (ROOT / "Clients/node/lib/client.js").read_text(encoding="utf-8").replace("_", "")
    assert f"callMilliseconds = {limit * 1000:.0f};" in node
    assert f"reconnectMilliseconds = {float(table['reconnect']) * 1000:.0f};" in node
    for owner in (seamd.Simulation, seamd.sync.Simulation):
        assert inspect.signature(owner.wait_for).parameters["timeout"].default == limit
