#!/usr/bin/env python3
"""Sends the requests of comparison.jsonl, in order, and prints each event line of its subscription as it came.

    compare.py SOCKET [--blocking]

Every client in this folder has such a program. Each against a daemon just started, they print the same, byte for byte.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

import seamd  # noqa: E402
import seamd.sync  # noqa: E402

REQUESTS = Path(__file__).resolve().parent.parent / "comparison.jsonl"


def requests() -> list[tuple[str, dict[str, Any]]]:
    lines = REQUESTS.read_text(encoding="utf-8").splitlines()
    return [(one["method"], one["params"]) for one in map(json.loads, lines)]


def put(event: seamd.Event) -> None:
    sys.stdout.buffer.write(event.line + b"\n")
    sys.stdout.buffer.flush()


async def asynchronous(path: str) -> None:
    async with seamd.connect(path) as client:
        watch = None
        for method, params in requests():
            if method == "sub.open":
                watch = await client.simulation(params.pop("sim")).watch(**params).opened()
            else:
                await client.call(method, params)
        assert watch is not None, f"{REQUESTS} subscribes to nothing"
        async for event in watch:
            put(event)


def blocking(path: str) -> None:
    with seamd.sync.connect(path) as client:
        watch = None
        for method, params in requests():
            if method == "sub.open":
                watch = client.simulation(params.pop("sim")).watch(**params).opened()
            else:
                client.call(method, params)
        assert watch is not None, f"{REQUESTS} subscribes to nothing"
        for event in watch:
            put(event)


def main() -> int:
    arguments = [one for one in sys.argv[1:] if one != "--blocking"]
    if len(arguments) != 1:
        print("usage: compare.py SOCKET [--blocking]", file=sys.stderr)
        return 2
    try:
        if "--blocking" in sys.argv[1:]:
            blocking(arguments[0])
        else:
            asyncio.run(asynchronous(arguments[0]))
    except seamd.SeamError as problem:
        print(f"compare.py: {problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Who read this has seen enough. What Python still holds for them goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141
    return 0


if __name__ == "__main__":
    sys.exit(main())
