"""The sample with a terminal: one call commented out, and `seam watch` says what no test of its own would."""

import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import ROOT, find

SAMPLE = ROOT / "Clients/examples/terminal/tasks.py"
CALL = "self.screen.draw_count(len(self.model.open))  # the call to comment out"

# What is promised is 50 ms; a machine that does other work at the same time gets ten times as much.
PROMISED = 0.050
# A sanitizer makes the daemon slow as no build that anybody uses is.
SPARE = 100 if os.environ.get("SEAM_SLOW") else 10


class Lines:
    """Lines of a program as they come."""

    def __init__(self, *command, **options):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1, **options
        )
        self.lines = []
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        for line in self.process.stdout:
            with self._changed:
                self.lines.append(line)
                self._changed.notify_all()

    def wait_for(self, form, start=0, limit=20):
        """The place behind the first line of that form."""
        with self._changed:
            def find():
                return next((n for n, line in enumerate(self.lines) if n >= start and re.search(form, line)), None)

            assert self._changed.wait_for(lambda: find() is not None, limit), f"no line {form} in {self.lines}"
            return find() + 1

    def end(self):
        self.process.kill()
        self.process.wait(10)
        self._thread.join(10)
        for one in (self.process.stdin, self.process.stdout, self.process.stderr):
            one.close()


@pytest.fixture
def play(start, folder):
    daemon = start()
    running = []

    def make(source):
        environment = {**os.environ, "SEAM_SOCKET": daemon.path, "NO_COLOR": "1"}
        copy = f"{folder}/tasks.py"
        with open(copy, "w", encoding="utf-8") as file:
            # A copy elsewhere finds the package where the original does.
            file.write(source.replace("Path(__file__).resolve()", f"Path({str(SAMPLE)!r})"))
        program = Lines(sys.executable, copy, env=environment)
        running.append(program)
        watch = watching(environment)
        return program, watch

    def watching(environment):
        import seamd.sync

        with seamd.sync.connect(daemon.path) as client:
            stream = client.watch(match="tasks/Terminal.openCount")
            for event in stream:
                if getattr(event, "verdict", None) == "matching":
                    break
            stream.close()
        watch = Lines(find("seam"), "watch", "tasks", env=environment)
        running.append(watch)
        watch.wait_for(r"openCount.*matching|matching.*openCount")
        return watch

    yield make
    for one in running:
        one.end()


def test_a_call_that_is_commented_out_is_seen_at_once(play, record_property):
    source = SAMPLE.read_text(encoding="utf-8")
    assert source.count(CALL) == 1
    broken = source.replace(CALL, f"# {CALL}")
    program, watch = play(broken)
    begun = time.monotonic()
    program.process.stdin.write("add Buy milk\n")
    place = watch.wait_for(r"stale.*openCount|openCount.*stale", limit=SPARE * PROMISED)
    took = time.monotonic() - begun
    record_property("stale after ms", round(took * 1000, 2))
    print(f"stale on seam watch {took * 1000:.2f} ms after the task was typed")
    # It stays stale: what is drawn later does not touch it.
    program.process.stdin.write("rename Errands\n")
    after = watch.wait_for(r"matching.*title.*Errands|title.*matching.*Errands", place)
    assert not [line for line in watch.lines[place:after] if "openCount" in line and "matching" in line]


def test_the_sample_as_it_is_ends_up_matching(play):
    program, watch = play(SAMPLE.read_text(encoding="utf-8"))
    program.process.stdin.write("add Buy milk\nadd Call home\ndone\n")
    place = watch.wait_for(r"openCount.*model=2 screen=2")
    watch.wait_for(r"openCount.*model=1 screen=1", place)
    program.process.stdin.write("quit\n")
    assert program.process.wait(10) == 0
    assert watch.process.wait(10) == 0


def test_the_sample_says_when_no_daemon_is_there(folder):
    done = subprocess.run(
        [sys.executable, SAMPLE], env={**os.environ, "SEAM_SOCKET": f"{folder}/none"}, capture_output=True, text=True
    )
    assert done.returncode == 1 and done.stderr.startswith(f"tasks.py: no daemon listens at {folder}/none")


def commands():
    """What the two samples tell to type into the first terminal."""
    for file in ("terminal/tasks.py", "web/README.md"):
        text = (ROOT / "Clients/examples" / file).read_text(encoding="utf-8")
        found = re.findall(r"^[ $]*(seamd .*?|seam watch.*?)  +# .*one terminal", text, re.MULTILINE)
        assert len(found) == 1, f"{file} tells {found}"
        yield found[0]


@pytest.mark.parametrize("command", commands(), ids=["terminal", "web"])
def test_what_is_typed_into_the_first_terminal_works_there_at_once(command, folder):
    """Where no daemon runs yet, and before the program has made its simulation."""
    places = [one for one in (os.environ.get("SEAM_BIN"), os.environ["PATH"]) if one]
    environment = {**os.environ, "SEAM_SOCKET": f"{folder}/seam.sock", "NO_COLOR": "1", "PATH": ":".join(places)}
    terminal = Lines("sh", "-c", command, env=environment, start_new_session=True)
    program = None
    try:
        import seamd.sync

        while True:
            # The sample is a program in another terminal: somebody starts it a while after, when there is a daemon.
            try:
                seamd.sync.connect(f"{folder}/seam.sock").close()
                break
            except seamd.ConnectError:
                assert terminal.process.poll() is None, terminal.process.stderr.read()
        program = Lines(sys.executable, str(SAMPLE), env=environment)
        program.process.stdin.write("add Buy milk\n")
        terminal.wait_for(r"openCount.*model=1 screen=1", limit=60)
    finally:
        if program is not None:
            program.end()
        # Ctrl-C is for all of the line.
        os.killpg(terminal.process.pid, signal.SIGINT)
        terminal.process.wait(30)
        terminal.end()
    assert not os.path.exists(f"{folder}/seam.sock"), "the daemon is still there"
