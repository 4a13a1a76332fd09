#!/usr/bin/env python3
"""How many changes a second a Python watcher takes: `SEAMD=… rate.py [--blocking] [CHANGES]`.

A publisher of its own process writes the changes as fast as the daemon takes them; the watcher asks for each as a
Change. The daemon keeps all of them, so what is measured is the watcher and not what it was too slow for.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import seamd  # noqa: E402
import seamd.sync  # noqa: E402


def publish(path: str, count: int) -> None:
    line = '{{"jsonrpc":"2.0","method":"model.set","params":{{"sim":"rate","values":{{"openCount":{}}}}}}}\n'
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        for first in range(1, count + 1, 1000):
            connection.sendall("".join(line.format(n) for n in range(first, min(first + 1000, count + 1))).encode())
        # Not before the daemon has read all of it.
        connection.sendall(b'{"id":1,"method":"seam.ping"}\n')
        connection.recv(1000)


async def asynchronous(path: str, last: str) -> float:
    async with seamd.connect(path) as client:
        begun = 0.0
        async for event in client.simulation("rate").watch(mode="all"):
            if isinstance(event, seamd.Change):
                begun = begun or time.perf_counter()
                if event.model == last:
                    break
            elif isinstance(event, seamd.Lag):
                raise SystemExit(f"the watcher was overtaken: {event}")
        return time.perf_counter() - begun


def blocking(path: str, last: str) -> float:
    with seamd.sync.connect(path) as client:
        begun = 0.0
        for event in client.simulation("rate").watch(mode="all"):
            if isinstance(event, seamd.Change):
                begun = begun or time.perf_counter()
                if event.model == last:
                    break
            elif isinstance(event, seamd.Lag):
                raise SystemExit(f"the watcher was overtaken: {event}")
        return time.perf_counter() - begun


def main() -> None:
    numbers = [one for one in sys.argv[1:] if one != "--blocking"]
    if len(numbers) > 1 or not all(one.isdecimal() and int(one) > 0 for one in numbers):
        print("usage: rate.py [--blocking] [CHANGES]", file=sys.stderr)
        sys.exit(2)
    count = int(numbers[0]) if numbers else 500_000
    options = ["--ring-entries", str(count + 10), "--ring-bytes", "1000000000", "--memory", "4G"]
    with seamd.Daemon(arguments=options) as daemon, seamd.sync.connect(daemon.socket) as client:
        client.create("live", "rate").show("Toolbar", openCount=0)
        publisher = multiprocessing.Process(target=publish, args=(daemon.socket, count))
        publisher.start()
        busy = time.process_time()
        if "--blocking" in sys.argv[1:]:
            took = blocking(daemon.socket, str(count))
        else:
            took = asyncio.run(asynchronous(daemon.socket, str(count)))
        busy = time.process_time() - busy
        publisher.join()
        print(
            f"{count:,} changes in {took:.2f} s: {count / took:,.0f} a second; "
            f"{busy / count * 1e6:.2f} µs of processor time each, so {count / busy:,.0f} with a core of its own"
        )


if __name__ == "__main__":
    try:
        main()
    except seamd.SeamError as problem:
        sys.exit(f"rate.py: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
