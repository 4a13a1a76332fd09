"""Which process this is, for what may not be used on both sides of a fork."""

from __future__ import annotations

import os


class Here:
    """Compared for each event, where a call of os.getpid() would be seen in the time that it takes."""

    pid = os.getpid()


def _forked() -> None:
    Here.pid = os.getpid()


os.register_at_fork(after_in_child=_forked)
