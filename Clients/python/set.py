#!/usr/bin/env python3
"""Sets model values of a simulation, one turn for each, and prints what the daemon answers."""
import json, os, socket, sys

if len(sys.argv) < 3 or not all("=" in pair for pair in sys.argv[2:]):
    sys.exit("usage: set.py SIMULATION KEY=VALUE...    (the daemon's socket is taken from $SEAM_SOCKET)")
folder = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
path = os.environ.get("SEAM_SOCKET") or f"{folder}/seam/seam.sock"
seam = socket.socket(socket.AF_UNIX)
try:
    seam.connect(path)
except OSError as error:
    sys.exit(f"{path}: {error}; start one with: seamd --socket {path}")
lines = seam.makefile("rw", encoding="utf-8", newline="\n")
for number, pair in enumerate(sys.argv[2:], start=1):
    params = {"sim": sys.argv[1], "values": dict([pair.split("=", 1)])}
    print(json.dumps({"jsonrpc": "2.0", "id": number, "method": "model.set", "params": params}), file=lines, flush=True)
    answer = json.loads(lines.readline() or sys.exit("the daemon closed the connection"))
    print(pair, "->", json.dumps(answer["result"]) if "result" in answer else sys.exit(answer["error"]["message"]))
