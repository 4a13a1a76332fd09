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
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError as problem:
        raise ValueError(f"{problem.object!r:.80} holds half a surrogate pair, which no UTF-8 can carry") from None
    except RecursionError:
        raise ValueError("the parameters contain themselves, or are nested too deeply") from None
    except ValueError as problem:
        raise ValueError(f"the parameters cannot be written as JSON: {problem}; give a text instead") from None


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
