"""Golden conversations, as Tests/Conversations/README.md says; over a plain socket, and through each twin."""

import json
import re
import socket
from pathlib import Path

from conftest import ROOT

import seamd
from seamd import _wire

FOLDER = ROOT / "Tests/Conversations"
FILES = sorted(FOLDER.glob("*.jsonl"))


class Number(str):
    """A number as it is written: 1.50 is not 1.5."""


def parse(text):
    """Objects keep the order of their members."""
    return json.loads(text, object_pairs_hook=list_of_members, parse_int=Number, parse_float=Number)


def list_of_members(pairs):
    return ("object", pairs)


def is_object(value):
    return isinstance(value, tuple) and value[0] == "object"


def member(value, name):
    return next((one for key, one in value[1] if key == name), None) if is_object(value) else None


def text(value):
    """Compact JSON of what parse() made."""
    if is_object(value):
        return "{" + ",".join(f"{text(name)}:{text(one)}" for name, one in value[1]) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(text, value)) + "]"
    if isinstance(value, Number):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def plain(value):
    return json.loads(text(value))


class Bindings:
    """What the <words> of a conversation stand for."""

    def __init__(self):
        self.known = {}

    @staticmethod
    def is_word(value):
        return type(value) is str and re.fullmatch("<[A-Za-z0-9-]+>", value) is not None

    def fill(self, value):
        if is_object(value):
            return ("object", [(name, self.fill(one)) for name, one in value[1]])
        if isinstance(value, list):
            return [self.fill(one) for one in value]
        return self.known.get(value, value) if self.is_word(value) else value

    def matches(self, came, expected):
        if self.is_word(expected):
            return self.known.setdefault(expected, came) == came
        if is_object(expected):
            return (
                is_object(came)
                and [name for name, _ in came[1]] == [name for name, _ in expected[1]]
                and all(self.matches(one, other) for (_, one), (_, other) in zip(came[1], expected[1]))
            )
        if isinstance(expected, list):
            return (
                isinstance(came, list) and len(came) == len(expected)
                and all(self.matches(one, other) for one, other in zip(came, expected))
            )  # fmt: skip
        return type(came) is type(expected) and came == expected


def read(file):
    lines = [parse(line) for line in Path(file).read_text(encoding="utf-8").splitlines() if line]
    assert member(lines[0], "conversation") and member(lines[0], "about"), f"{file} does not say what it shows"
    return list(enumerate(lines[1:], start=2))


class Differs(AssertionError):
    def __init__(self, file, number, came, expected):
        super().__init__(f"{Path(file).name}:{number}\n  came {came}\n  not  {expected}")


class Plain:
    """A client that is a socket, and the package's way to cut lines."""

    def __init__(self, path, every=None):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(path)
        self.lines = _wire.LineBuffer()
        self.every = every

    def send(self, line):
        self.socket.sendall(line.encode("utf-8", "surrogatepass") + b"\n")

    def receive(self):
        while True:
            line = self.lines.next()
            if line is None:
                data = self.socket.recv(65536)
                if not data:
                    return None
                self.lines.feed(data)
                continue
            if self.every is not None:
                self.every(line)
            return line.decode()

    def end(self):
        self.socket.shutdown(socket.SHUT_WR)


def replay(file, path, every=None):
    """Raises Differs at the first line that is not as it stands in the file."""
    clients, bindings = {}, Bindings()

    def client(name):
        if name not in clients:
            clients[name] = Plain(path, every)
        return clients[name]

    try:
        for number, line in read(file):
            sender, receiver = member(line, "from"), member(line, "to")
            if sender is not None:
                if member(line, "end"):
                    client(sender).end()
                elif member(line, "text") is not None:
                    client(sender).send(member(line, "text"))
                else:
                    client(sender).send(text(bindings.fill(member(line, "line"))))
                continue
            expected = member(line, "line")
            came = client(receiver).receive()
            # Marks come by the clock.
            while came is not None and '"kind":"mark"' in came and '"kind":"mark"' not in text(expected):
                came = client(receiver).receive()
            if member(line, "end"):
                if came is not None:
                    raise Differs(file, number, came, "the end")
            elif came is None or not bindings.matches(parse(came), expected):
                raise Differs(file, number, came, text(bindings.fill(expected)))
    finally:
        for one in clients.values():
            one.socket.close()


def fits_the_api(file):
    """Whether a program would have this conversation through the client: named parameters, one request a line, and
    nothing that the client refuses to send."""
    for _, line in read(file):
        request = member(line, "line")
        if member(line, "text") is not None or isinstance(request, list):
            return False
        if member(line, "from") is None or member(line, "end"):
            continue
        if not is_object(request) or isinstance(member(request, "params"), list):
            return False
        if {name for name, _ in request[1]} - {"jsonrpc", "id", "method", "params"}:
            return False
        if any(name == "id" and not isinstance(one, (str, type(None))) for name, one in request[1]):
            return False
        if member(request, "jsonrpc") is not None and member(request, "id") is None:
            return False  # a notification
        if not isinstance(member(request, "method"), str):
            return False
    return True


async def replay_through(twin, file, path):
    """The same through a twin: results, refusals and event lines are what the file says."""
    clients, watches, bindings = {}, {}, Bindings()
    waiting = {}
    closed = set()

    async def client(name):
        if name not in clients:
            # Entered by hand, since how many there are is for the file to say.
            clients[name] = await twin.connect(path)
        return clients[name]

    def check(number, came, expected):
        if not bindings.matches(parse(json.dumps(came, ensure_ascii=False)), expected):
            raise Differs(file, number, json.dumps(came, ensure_ascii=False), text(bindings.fill(expected)))

    for number, line in read(file):
        sender, receiver, content = member(line, "from"), member(line, "to"), member(line, "line")
        if member(line, "end"):
            continue
        if sender is not None:
            one = await client(sender)
            method, params = member(content, "method"), plain(bindings.fill(member(content, "params") or ("object", [])))
            identity = text(member(content, "id"))
            try:
                if method == "sub.open":
                    sim = params.pop("sim", None)
                    after = params.pop("after", None)
                    if after is not None:
                        after = seamd.Cursor(after["epoch"], after.get("seq", after.get("dseq")))
                    params["snapshot"] = params.pop("start", None) != "now"
                    scope = one if sim is None else one.simulation(sim)
                    watch = await scope.watch(after=after, reconnect=0, **params).opened()
                    waiting[sender, identity] = ("subscribed", watch)
                elif method == "sub.close":
                    watch = watches.pop(params["sub"], None)
                    closed.add(params["sub"])
                    if watch is not None:
                        await watch.aclose()
                    waiting[sender, identity] = ("nothing", None)
                else:
                    waiting[sender, identity] = ("result", await one.call(method, params))
            except seamd.CallError as refused:
                waiting[sender, identity] = ("error", refused)
            continue
        if member(content, "method") is not None:
            params = member(content, "params")
            sub = int(member(params, "sub"))
            if sub in closed:
                continue  # the end of what was closed by ourselves
            event = await watches[sub].next(20)
            while isinstance(event, seamd.Mark):
                event = await watches[sub].next(20)
            if event is None or not bindings.matches(parse(event.line.decode()), content):
                raise Differs(file, number, event, text(bindings.fill(content)))
            continue
        what, value = waiting.pop((receiver, text(member(content, "id"))))
        if what == "subscribed":
            assert member(content, "result") is not None, f"{file}:{number}: subscribed, which was to be refused"
            watches[int(member(member(content, "result"), "sub"))] = value
            epoch = member(member(content, "result"), "epoch")
            if bindings.is_word(epoch) and value.cursor is not None:
                bindings.known.setdefault(epoch, value.cursor.epoch)
        elif what == "result":
            check(number, value, member(content, "result"))
        elif what == "error":
            check(number, {"code": value.code, "message": value.message, "data": dict(value.data)}, member(content, "error"))
    for one in list(watches.values()) + list(clients.values()):
        await one.aclose()
