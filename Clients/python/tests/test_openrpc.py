"""The daemon against its own document: everything it says, and everything the document says one may ask."""

import json
import os
import re
import socket
import string
import tempfile

import hypothesis
import hypothesis.configuration
import jsonschema
import pytest
from conftest import ROOT
from conversations import FILES, Plain, replay
from hypothesis import strategies
from openrpc import Check, Document

import seamd.sync


@pytest.fixture(scope="module")
def document():
    with seamd.sync.connect(private=True) as client:
        return Document(client.discover())


class Checked(Plain):
    """Tells a Check what goes either way."""

    check = None

    def send(self, line):
        self.check.sent(line)
        super().send(line)


@pytest.mark.parametrize("file", FILES, ids=[one.stem for one in FILES])
def test_every_line_of_the_conversations_is_as_described(document, file, start, monkeypatch):
    check = Check(document)
    monkeypatch.setattr(Checked, "check", check)
    monkeypatch.setattr("conversations.Plain", Checked)
    replay(file, start().path, every=check.came)
    assert check.replies > 0


def examples():
    for page in ("protocol.md", "README.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        for number, block in enumerate(re.findall(r"^```seam\n(.*?)^```", text, re.M | re.S)):
            yield f"{page}-{number + 1}", [line[2:] for line in block.splitlines() if line.startswith("> ")]


EXAMPLES = list(examples())


@pytest.mark.parametrize("lines", [one[1] for one in EXAMPLES], ids=[one[0] for one in EXAMPLES])
def test_every_line_of_the_examples_is_as_described(document, lines, start):
    check = Check(document)
    client = Plain(start().path, check.came)
    for line in [*lines, '{"id":"the end","method":"seam.ping"}']:
        check.sent(line)
        client.send(line)
    while '"id":"the end"' not in client.receive():
        pass
    assert check.replies >= len(lines) / 2
    client.socket.close()


def test_there_are_examples():
    assert len(EXAMPLES) >= 10


def test_a_wrong_line_is_found(document):
    """The proof that the proof can fail."""
    state = {"sub": 1, "sim": "s", "kind": "state", "seq": 1, "screen": "A", "field": "x", "verdict": "stale",
             "model": None, "shown": "1"}  # fmt: skip
    document.check_event({"jsonrpc": "2.0", "method": "seam.event", "params": state})
    for wrong in ({"verdict": "fine"}, {"seq": "1"}, {"colour": "blue"}, {"kind": "verdict"}, {"shown": 1}):
        with pytest.raises(jsonschema.ValidationError):
            document.check_event({"jsonrpc": "2.0", "method": "seam.event", "params": {**state, **wrong}})
    for method, wrong in [
        ("seam.ping", {"result": {}}),
        ("seam.ping", {"result": {"daemonEpoch": "short"}}),
        ("bridge.mount", {"result": {"seq": 1, "turn": 1, "changes": 0, "diagnostics": 0}}),
        ("sim.get", {"error": {"code": -32002, "message": "No.", "data": {"kind": "unknown-scenario"}}}),
        ("sim.get", {"error": {"code": -32002, "message": "No.", "data": {"kind": "unknown-sim"}}}),
        ("sim.get", {"error": {"code": -32001, "message": "No.", "data": {"kind": "unknown-sim", "colour": 1}}}),
    ]:
        with pytest.raises((jsonschema.ValidationError, AssertionError)):
            document.check_reply({"jsonrpc": "2.0", "id": 1, **wrong}, method)


# Its tables of characters go where nobody commits them.
HOME = tempfile.TemporaryDirectory(prefix="seam-py-")
hypothesis.configuration.set_hypothesis_home_dir(HOME.name)


# MARK: requests made from the document

# Ends the daemon; and what writes files would write them wherever a generated name leads.
LEFT_OUT = {"seam.shutdown", "rec.start", "rec.replay"}
LEFT_OUT_PARAMS = {"record", "path"}
# Names that lead somewhere, so that not every request ends at the first lookup.
KNOWN = {
    "sim": ["app", "demo"], "scenario": ["live", "lessons.hosting-unassigned", "coordinator.draft"],
    "screen": ["A", "HostingController"], "bridge": ["host"], "event": ["summaryDidChange"], "id": ["app", "third"],
}  # fmt: skip
ANYTHING = strategies.recursive(
    strategies.none() | strategies.booleans() | strategies.integers() | strategies.floats(allow_nan=False)
    | strategies.text(max_size=20),
    lambda inner: strategies.lists(inner, max_size=3) | strategies.dictionaries(strategies.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
LETTERS = strategies.text(string.ascii_letters + string.digits + "_-é日", min_size=1, max_size=12)


def strategy(document, schema):
    """Values that a schema of the document describes."""
    schema = document.resolve(schema)
    if "enum" in schema:
        return strategies.sampled_from(schema["enum"])
    if "oneOf" in schema and "type" not in schema:
        return strategies.one_of([strategy(document, one) for one in schema["oneOf"]])
    kind = schema["type"]
    if isinstance(kind, list):
        return strategies.one_of([strategy(document, {**schema, "type": one}) for one in kind])
    if kind == "null":
        return strategies.none()
    if kind == "boolean":
        return strategies.booleans()
    if kind == "number":
        return strategies.integers(-(2**53), 2**53) | strategies.floats(allow_nan=False, allow_infinity=False)
    if kind == "integer":
        return strategies.integers(schema.get("minimum", -(2**53)), schema.get("maximum", 2**53))
    if kind == "string":
        if schema.get("pattern") == "^[0-9a-f]{16}$":
            return strategies.from_regex(r"\A[0-9a-f]{16}\Z")
        return LETTERS
    if kind == "array":
        return strategies.lists(strategy(document, schema["items"]), min_size=schema.get("minItems", 0), max_size=4)
    assert kind == "object", schema
    if "properties" in schema:
        named = {name: strategy(document, one) for name, one in schema["properties"].items()}
        required = set(schema.get("required", [])) | set(schema.get("oneOf", [{"required": []}])[0]["required"])
        return strategies.fixed_dictionaries(
            {name: one for name, one in named.items() if name in required},
            optional={name: one for name, one in named.items() if name not in required},
        )
    return strategies.dictionaries(LETTERS, strategy(document, schema["additionalProperties"]), max_size=4)


@strategies.composite
def requests(draw, document):
    """A method, its params, and whether the document has nothing against them."""
    method = draw(strategies.sampled_from(sorted(set(document.methods) - LEFT_OUT)))
    params, names = {}, []
    for param in document.methods[method]["params"]:
        name = param["name"]
        if name in LEFT_OUT_PARAMS:
            continue
        names.append(name)
        if param["required"] or draw(strategies.booleans()):
            value = strategy(document, param["schema"])
            if name in KNOWN:
                value = strategies.sampled_from(KNOWN[name]) | value
            params[name] = draw(value)
    how = draw(strategies.sampled_from(["valid", "valid", "without", "unknown", "wrong", "wrong", "no object"]))
    if how == "without" and params:
        required = [one["name"] for one in document.methods[method]["params"] if one["required"]]
        if not required:
            return method, params, True
        params.pop(draw(strategies.sampled_from(required)))
        return method, params, False
    if how == "unknown":
        extra = draw(LETTERS.filter(lambda one: one not in names and one not in LEFT_OUT_PARAMS))
        return method, {**params, extra: draw(ANYTHING)}, False
    if how == "wrong" and names:
        params[draw(strategies.sampled_from(names))] = draw(ANYTHING)
        return method, params, False
    if how == "no object":
        # Params by position; anything else is no request.
        return method, draw(strategies.lists(ANYTHING, max_size=4) | ANYTHING), False
    return method, params, True


def test_whatever_is_asked_is_answered_as_described_and_the_daemon_answers_on(document, start):
    daemon = start("--max-simulations", "40", "--max-fields", "20000", "--max-subscriptions", "60")
    counts = {"valid": 0, "refused": 0}
    number = iter(range(1, 10**9))
    connection = []

    def client(check):
        if not connection:
            connection.append(Plain(daemon.path))
            for line in (
                '{"id":"a","method":"sim.create","params":["live","app"]}',
                '{"id":"b","method":"sim.create","params":["lessons.hosting-unassigned","demo"]}',
            ):
                connection[0].send(line)
                connection[0].receive()
        connection[0].every = check.came
        return connection[0]

    is_long = os.environ.get("SEAM_LONG") == "1"

    @hypothesis.settings(
        max_examples=20_000 if is_long else 200, deadline=None, database=None, derandomize=not is_long,
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    @hypothesis.given(requests(document))
    def ask(request):
        try:
            exchange(*request)
        except BaseException:
            # What is still to be read there would be taken for the answers of the next example.
            connection.pop().socket.close()
            raise

    def exchange(method, params, is_valid):
        check = Check(document)
        asked, ping = f"r{next(number)}", f"p{next(number)}"
        one = client(check)
        for line in (
            json.dumps({"jsonrpc": "2.0", "id": asked, "method": method, "params": params}, ensure_ascii=True),
            json.dumps({"jsonrpc": "2.0", "id": ping, "method": "seam.ping"}),
        ):
            check.sent(line)
            one.send(line)
        replies = {}
        while asked not in replies or ping not in replies:
            line = one.receive()
            assert line is not None, "the daemon has closed the connection"
            message = json.loads(line)
            if message.get("id") is None and "error" in message:
                replies[asked] = message
            elif "id" in message:
                replies[message["id"]] = message
        assert "result" in replies[ping]
        if is_valid:
            counts["valid"] += 1
            data = replies[asked].get("error", {}).get("data", {})
            # What depends on another parameter no schema of one can say: whether a cursor counts in seq or in dseq,
            # a mount that needs its bridge, a host of which nothing is set.
            hangs_on_another = data.get("path", "").startswith("after.") or (method, data.get("path")) in (
                ("environment.set", "bridge"), ("host.set", "window"),
            )  # fmt: skip
            kind = None if hangs_on_another else data.get("kind")
            assert kind not in ("missing-param", "unknown-param", "wrong-type", "value-not-text", "invalid-request"), (
                f"the document describes {method} {params}, and the daemon says {replies[asked]}"
            )
        counts["refused"] += "error" in replies[asked]

    try:
        ask()
    finally:
        for one in connection:
            one.socket.close()
    assert min(counts.values()) > 30, counts
    assert daemon.process.poll() is None
