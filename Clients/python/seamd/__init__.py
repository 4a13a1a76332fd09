"""Drives and watches Seam, which says live where a screen no longer shows what the model says.

    async with seamd.connect() as client:
        async with client.create("live") as sim:
            await sim.set(openCount=5)
            await sim.show("Toolbar", openCount=3)
            print(await sim.check())

`seamd.sync` is the same without an event loop.
"""

from typing import TYPE_CHECKING, Any

from . import errors
from .daemon import Daemon
from .errors import *  # noqa: F403
from .events import (
    VERDICTS,
    Change,
    Cursor,
    Diagnostic,
    End,
    Event,
    Gap,
    Lag,
    Mark,
    Restarted,
    SimulationEvent,
    State,
    Sync,
    Unknown,
    Verdict,
)
from .paths import socket_path
from .results import Check, Explanation, Field, Finding, Mount, Record, Recording, Run, SimulationInfo, Turn
from .version import __version__

if TYPE_CHECKING:
    from .client import Client, Simulation, Watch, connect
else:

    def __getattr__(name: str) -> Any:
        # asyncio takes longer to load than all of this; who uses seamd.sync alone has no need of it.
        if name in ("Client", "Simulation", "Watch", "connect"):
            from . import client

            return getattr(client, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Change", "Check", "Client", "Cursor", "Daemon", "Diagnostic", "End", "Event", "Explanation", "Field", "Finding",
    "Gap", "Lag", "Mark", "Mount", "Record", "Recording", "Restarted", "Run", "Simulation", "SimulationEvent", "SimulationInfo",
    "State", "Sync", "Turn", "Unknown", "VERDICTS", "Verdict", "Watch", "__version__", "connect", "socket_path",
]  # fmt: skip
__all__ += errors.__all__
