"""Which process this is, for what may not be used on both sides of a fork."""

from __future__ import annotations

import os
import weakref
from typing import Any


class Here:
    pid = os.getpid()


clients: "weakref.WeakSet[Any]" = weakref.WeakSet()


def _forked() -> None:
    Here.pid = os.getpid()
    # A client looks at this for each event anyway, and only then at whose it is: a look of its own would be seen in the
    # time that an event takes.
    for client in list(clients):
        client._is_closed = True


os.register_at_fork(after_in_child=_forked)
