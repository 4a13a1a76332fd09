"""`python -m seamd.demo`: a field goes stale and matches again, live, at a daemon started for it.

seamd is looked for in $SEAMD, then in PATH.
"""

from __future__ import annotations

import asyncio
import os
import sys

from . import Change, End, SeamError, State, Sync, connect


async def _show() -> None:
    async with connect(private=True) as client, client.create("live", "demo") as sim:
        await sim.show("Toolbar", title="Tasks", openCount=3)
        print(f"a private daemon listens at {client.path}")

        async def drive() -> None:
            await sim.set(title="Tasks", openCount=3)
            await sim.set(openCount=5)
            print("… the model says 5 open tasks, and nobody told the toolbar", flush=True)
            await sim.wait_for("Toolbar.openCount", "stale")
            await sim.show("Toolbar", openCount=5)
            print("… now somebody has", flush=True)
            await sim.wait_for("Toolbar.openCount", "matching")
            await sim.destroy()

        driver = None
        try:
            async for event in sim.watch():
                if isinstance(event, State):
                    print(f"{event.name}: model={event.model} screen={event.shown} -> {event.verdict}", flush=True)
                elif isinstance(event, Sync):
                    driver = asyncio.ensure_future(drive())
                elif isinstance(event, Change):
                    print(f"{event.name}: model={event.model} screen={event.shown} -> {event.verdict}", flush=True)
                elif isinstance(event, End):
                    print(f"the stream has ended: {event.reason}")
            if driver is not None:
                await driver
        finally:
            # Interrupted, it must not go on in a simulation that goes with this block.
            if driver is not None:
                driver.cancel()
                await asyncio.gather(driver, return_exceptions=True)


def main() -> int:
    try:
        asyncio.run(_show())
    except SeamError as problem:
        print(f"seamd.demo: {problem}", file=sys.stderr)
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
