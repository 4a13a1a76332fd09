#!/usr/bin/env bash
# Sends the requests of comparison.jsonl in order and prints each line of its subscription as it came, to the `end` of
# it: what every client has to print, byte for byte. Needs socat.
#
#     Clients/shell/compare.sh SOCKET
set -euo pipefail

socket=${1:?usage: compare.sh SOCKET}
requests=$(dirname "$0")/../comparison.jsonl
patience=20

coproc seam { exec socat - "UNIX-CONNECT:$socket"; }
# The shell drops the array when socat ends, perhaps before the last line is read: so copies.
exec {replies}<&"${seam[0]}" {calls}>&"${seam[1]}"

say() {
    printf 'compare.sh: %s\n' "$1" >&2
    exit 1
}

while IFS= read -r request; do
    printf '%s\n' "$request" >&"$calls" || say "the daemon took no more"
    # The lines that a request caused come before its answer, but those of a snapshot behind it.
    while :; do
        IFS= read -r -t "$patience" -u "$replies" line || say "no answer to $request"
        case $line in
        *'"method":"seam.event"'*) printf '%s\n' "$line" ;;
        *'"error":'*) say "$line" ;;
        *) break ;;
        esac
    done
done <"$requests"
