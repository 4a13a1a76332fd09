"""Where a daemon listens, by the rules that seamd and seam follow."""

from __future__ import annotations

import os
import stat
from typing import Mapping, Optional, Set

from .errors import ConnectError

# sun_path has 108 bytes, the last of them NUL.
LONGEST_PATH = 107

# Sockets of daemons that this program has started for itself: nobody starts one there by hand.
PRIVATE: Set[str] = set()


def socket_path(path: Optional[str] = None, environment: Optional[Mapping[str, str]] = None) -> str:
    """The socket to talk to: `path`, else $SEAM_SOCKET, else seam/seam.sock in $XDG_RUNTIME_DIR or /run/user/UID.

    The first rule that applies decides, whether or not something listens there: looking further could reach another
    daemon than the one meant.
    """
    environment = os.environ if environment is None else environment
    tried = []
    if path is not None:
        if not isinstance(path, (str, bytes, os.PathLike)):
            raise TypeError(f"the path of the socket is {path!r:.80}; it is a text or a Path")
        return checked(os.fsdecode(path), "the path given")
    named = environment.get("SEAM_SOCKET")
    if named:
        return checked(named, "$SEAM_SOCKET")
    tried.append("$SEAM_SOCKET is not set")
    folder = environment.get("XDG_RUNTIME_DIR")
    if folder and folder.startswith("/"):
        return checked(f"{folder}/seam/seam.sock", "$XDG_RUNTIME_DIR")
    tried.append(f"$XDG_RUNTIME_DIR is {'not an absolute path (' + folder + ')' if folder else 'not set'}")
    user = f"/run/user/{os.getuid()}"
    if os.path.isdir(user):
        return checked(f"{user}/seam/seam.sock", user)
    tried.append(f"{user} does not exist")
    raise ConnectError(f"no socket path: {', '.join(tried)}. Give one, or set SEAM_SOCKET.")


def checked(path: str, origin: str) -> str:
    """Raises when no socket can have this path."""
    size = len(os.fsencode(path))
    if size > LONGEST_PATH:
        raise ConnectError(f"the socket path from {origin} has {size} bytes, the system allows {LONGEST_PATH}: {path}")
    if size == 0 or "\0" in path:
        raise ConnectError(f"the socket path from {origin} is empty or holds a NUL: {path!r}")
    return path


def explain(path: str, problem: OSError) -> ConnectError:
    """Why connecting to a path failed, and what to do."""
    start = f"Start one with: seamd --socket {path}"
    try:
        mode = os.stat(path).st_mode
    except OSError:
        mode = stat.S_IFSOCK
    if stat.S_ISDIR(mode):
        text = f"{path} is a folder; the socket of a daemon is a file in one, such as {path.rstrip('/')}/seam.sock"
    elif not stat.S_ISSOCK(mode):
        text = f"cannot connect to {path}: it is no socket"
    elif path in PRIVATE and isinstance(problem, (FileNotFoundError, ConnectionRefusedError)):
        text = f"the private daemon that listened at {path} has ended"
    elif isinstance(problem, FileNotFoundError):
        text = f"no daemon listens at {path}: there is no such file. {start}"
    elif isinstance(problem, ConnectionRefusedError):
        text = f"no daemon listens at {path}: one has been there and is gone. {start}"
    elif isinstance(problem, PermissionError):
        text = f"{path} may not be used by this user: {problem.strerror}. A daemon serves the user who started it."
    else:
        text = f"cannot connect to {path}: {problem.strerror or problem}"
    return ConnectError(text)
