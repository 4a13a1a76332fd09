#!/usr/bin/env bash
# A program with a toolbar tells Seam what its model says and what the toolbar shows; once it forgets to, reads that
# this is stale, and repairs it. Needs socat and jq.
#
#     Clients/shell/report.sh
set -euo pipefail

socket=${SEAM_SOCKET:-${XDG_RUNTIME_DIR:-/run/user/$UID}/seam/seam.sock}
patience=5

say() {
    printf 'report.sh: %s\n' "$1" >&2
    exit 1
}

[[ -S $socket ]] || say "there is no socket $socket; start a daemon with: seamd --socket $socket"
coproc seam { exec socat - "UNIX-CONNECT:$socket" 2>/dev/null; }
exec {replies}<&"${seam[0]}" {calls}>&"${seam[1]}"

# call METHOD PARAMS: the result is in $result. jq writes the request, so that no quote in a value can break it.
call() {
    local reply
    jq -cn --arg method "$1" --argjson params "$2" '{id: 1, $method, $params}' >&"$calls" 2>/dev/null ||
        say "nobody listens at $socket; start a daemon with: seamd --socket $socket"
    IFS= read -r -t "$patience" -u "$replies" reply || say "no answer to $1 from $socket"
    result=$(jq -ce .result <<<"$reply") || say "$(jq -r .error.message <<<"$reply")"
}

model() { call model.set "$(jq -cn --arg sim "$sim" --arg key "$1" --arg text "$2" '{$sim, values: {($key): $text}}')"; }
shows() {
    call screen.set "$(jq -cn --arg sim "$sim" --arg screen "$1" --arg key "$2" --arg text "$3" \
        '{$sim, $screen, values: {($key): $text}}')"
}
verdict() {
    call sim.check "$(jq -cn --arg sim "$sim" --arg field "$1" '{$sim, fields: [$field]}')"
    jq -r '.fields[0] | "\(.screen).\(.field): model=\(.model) screen=\(.shown) -> \(.verdict)"' <<<"$result"
}

# "connection": the simulation ends when this script does, however it ends.
call sim.create '{"scenario":"live","lifetime":"connection"}'
sim=$(jq -r .sim <<<"$result")

model openCount 3
shows Toolbar openCount 3
verdict Toolbar.openCount

model openCount 5 # and nobody tells the toolbar
verdict Toolbar.openCount

shows Toolbar openCount 5 # the call that was forgotten
verdict Toolbar.openCount
