"""Bytes and values: lines of JSON in both directions. No sockets."""

from __future__ import annotations

import json
from typing import Any, Iterable, List, Mapping, Optional

from .errors import CallError, ProtocolError, refusal

# What this client asks the daemon's replies to stay below (seam.hello, maxLine), and so the longest line that it takes.
LONGEST_LINE = 1 << 20

_decode = json.JSONDecoder().raw_decode


class LineBuffer:
    """Cuts what arrives into lines. Holds at most one chunk and the beginning of one line."""

    def __init__(self) -> None:
        self._lines: List[bytes] = []
        self._rest = b""

    def feed(self, data: bytes) -> None:
        lines = (self._rest + data if self._rest else data).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) > LONGEST_LINE:
            raise ProtocolError(f"a line of more than {LONGEST_LINE:,} bytes, longer than any that was asked for")
        # Reversed once, so that taking the first is taking the last, which costs nothing.
        lines.reverse()
        self._lines = lines + self._lines if self._lines else lines

    def next(self) -> Optional[bytes]:
        """The next whole line without its line feed; None when more has to be read."""
        while self._lines:
            line = self._lines.pop()
            if line and line != b"\r":
                return line
        return None


def message(line: bytes) -> Any:
    """The value of a line: an object, or for a batch an array of them."""
    try:
        text = line.decode("utf-8")
        value, end = _decode(text)
        if end != len(text) and text[end:].strip():
            raise ValueError("more than one value")
    except ValueError as problem:
        raise ProtocolError(f"the line is not JSON ({problem}): {line[:80]!r}") from None
    except RecursionError:
        raise ProtocolError(f"the line is nested too deeply: {line[:80]!r}") from None
    if not isinstance(value, (dict, list)):
        raise ProtocolError(f"the line is neither an object nor a batch: {line[:80]!r}")
    return value


def is_event(message: Any) -> bool:
    return isinstance(message, dict) and message.get("method") == "seam.event"


def result(message: Mapping[str, Any], method: Optional[str]) -> Any:
    """What a reply says; raises what it refuses."""
    if "error" in message:
        raise refusal(message["error"], method)
    if "result" not in message:
        raise ProtocolError(f"a reply with neither result nor error: {message!r:.80}")
    return message["result"]


def request(number: int, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def encode(value: Any) -> bytes:
    """The line of a request or a batch of them."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8") + b"\n"
    except (UnicodeEncodeError, RecursionError, TypeError, ValueError):
        pass
    # Found by looking again rather than from the text of the problem, which does not say where.
    for one in value if isinstance(value, list) else [value]:
        _look(one["method"], "", 0)
        _look(one["params"], "", 0)
    raise ValueError("the parameters cannot be written as JSON")


def _look(value: Any, path: str, depth: int) -> None:
    """Raises what keeps a value from being sent, with its place."""
    name = path or "the request"
    if depth > 200:
        raise ValueError(f"{name.split('.')[0]}: the parameters contain themselves, or are nested too deeply")
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            problem = f"{_told(name)} holds half a surrogate pair, which no UTF-8 can carry: {value!r:.80}"
            raise ValueError(problem) from None
    elif isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise ValueError(f"{name} is {value}, which JSON has no number for; give a text instead")
    elif isinstance(value, int):
        try:
            int.__repr__(value)
        except ValueError:
            raise ValueError(f"{name} is a number of more digits than Python writes; give a text instead") from None
    elif isinstance(value, dict):
        for key, one in value.items():
            if not isinstance(key, (str, int, float, type(None))):
                raise TypeError(f"{name} has a member of the name {key!r:.80}; names are texts")
            inner = f"{path}.{key}" if path else str(key)
            _look(key, inner, depth + 1)
            _look(one, inner, depth + 1)
    elif isinstance(value, (list, tuple)):
        for number, one in enumerate(value):
            _look(one, f"{path}[{number}]", depth + 1)
    elif value is not None:
        raise TypeError(
            f"{_told(name)} is {value!r:.80}, of type {type(value).__name__}; "
            "a value is a text, a number, True, False or None"
        )


def _told(name: str) -> str:
    """A name that can be printed even when it is the trouble."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def batch_results(reply: Any, requests: Iterable[tuple[int, str]]) -> List[Any]:
    """Results in the order of the requests; a CallError stands where one was refused."""
    if not isinstance(reply, list):
        # The batch as a whole was refused.
        result(reply, "batch")
        raise ProtocolError(f"a batch was answered with one result: {reply!r:.80}")
    by_id = {one.get("id"): one for one in reply if isinstance(one, dict)}
    results: List[Any] = []
    for number, method in requests:
        if number not in by_id:
            raise ProtocolError(f"the answer to a batch lacks the reply to its {method}")
        try:
            results.append(result(by_id[number], method))
        except CallError as refused:
            results.append(refused)
    return results
