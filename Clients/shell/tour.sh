#!/usr/bin/env bash
# The first look at Seam, and what `make run` plays: five lessons, then one of them live.
#
#     Clients/shell/tour.sh FOLDER      the folder that holds seamd and seam, e.g. .build/release
#
# It lies among the clients since it is one: nothing here is done that another script could not do. It was
# not put into the Makefile, where it could not be read, and not into the tests, since it proves nothing.
# Nowhere does it sleep: it waits for the line that says so, and gives up when none comes.
set -euo pipefail

bin=$(cd "${1:?the folder that holds seamd and seam}" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
patience=20

dir=$(mktemp -d "${TMPDIR:-/tmp}/seam-tour.XXXXXX") # mktemp makes it 0700, which seamd insists on
export SEAM_SOCKET=$dir/seam.sock
started=()

leave() {
    # By number, and only what was started here. seamd comes first: on SIGTERM it ends its streams in good order.
    local pid
    for pid in "${started[@]}"; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    rm -rf "$dir"
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

die() {
    printf '\n%s\n' "$1" >&2
    [[ ! -s $dir/seamd.log ]] || sed 's/^/    seamd: /' "$dir/seamd.log" >&2
    exit 1
}

# Bold for what a person would type, where that can be shown.
bold='' plain=''
if [[ -t 1 && -z ${NO_COLOR-} && ${TERM:-dumb} != dumb ]]; then bold=$'\e[1m' plain=$'\e[0m'; fi
title() { printf '\n%s── %s%s\n' "$bold" "$1" "$plain"; }
shows() { printf '%s$ %s%s\n' "$bold" "$*" "$plain"; }
seam() { shows seam "$@" && "$bin/seam" "$@"; }

# Prints the stream up to the line that holds both words.
watched() {
    local line
    while IFS= read -r -t "$patience" -u "$stream" line; do
        printf '    %s\n' "$line"
        [[ $line != *"$1"* || $line != *"$2"* ]] || return 0
    done
    die "seam watch did not show \"$1 … $2\" within $patience s."
}

# seamd writes one byte to --ready-fd when it listens, and closes it when it cannot: no polling of the socket.
exec {ready}< <(exec "$bin/seamd" --socket "$SEAM_SOCKET" --ready-fd 3 3>&1 >"$dir/seamd.log" 2>&1 </dev/null)
started+=($!)
IFS= read -r -n 1 -t "$patience" -u "$ready" || die "seamd did not start."
exec {ready}<&-

title "Five lessons: what the model says, what the screen shows"
for lesson in hosting-unassigned hosting-assigned wrapping-empty wrapping-filled own-state; do
    seam run "lessons.$lesson"
    echo
done

title "The first of them live: the model changes, and the screen does not hear of it"
seam create lessons.hosting-unassigned --id demo
shows seam watch demo
exec {stream}< <(exec "$bin/seam" watch demo 2>&1 </dev/null)
started+=($!)
watched filter matching
seam set demo openCount=7
watched openCount stale
echo "    The screen shows an old number. The bridge holds a copy; one call hands it the new one:"
seam assign demo host
watched openCount matching
exec {stream}<&-

if [[ $bin == "$root"/* ]]; then bin="\$PWD/${bin#"$root"/}"; fi
title "Now you. In one terminal, from this folder:"
cat <<NEXT
    export PATH="$bin:\$PATH" SEAM_SOCKET="\$HOME/.seam/seam.sock"
    mkdir -p -m 700 ~/.seam && seamd &
    seam create lessons.hosting-unassigned --id demo
    seam watch demo                   # or as a table, with the reasons: seam top demo
In another (the same export first):
    seam set demo openCount=7         # stale, in the first terminal
    seam assign demo host             # matching
    seam run --steps lessons.wrapping-empty
    python3 Clients/python/set.py demo openCount=9
    socat - UNIX-CONNECT:"\$SEAM_SOCKET"
and type, for one:
    {"method":"sub.open","params":{"sim":"demo"}}
    {"method":"model.set","params":{"sim":"demo","values":{"openCount":11}}}
Or in a browser, whether or not anything runs; under Scenarios a lesson can be started and its buttons pressed:
    "$bin/seam" dashboard --allow-control
NEXT
