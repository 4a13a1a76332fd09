#!/usr/bin/env bash
# Replays a golden conversation against a daemon that has just been started, and compares every line byte for byte; the
# rules are in README.md. Needs socat, and jq for the texts that are no JSON.
#
#     Tests/Conversations/replay.sh SOCKET FILE
#
# $SEAM_PATIENCE is how many seconds a line is waited for, 20 unless it is set.
# Exit code 0: all lines were as they stand in the file. 1: one was not, and is shown. 2: this is no conversation.
set -euo pipefail
export LC_ALL=C # bytes, not characters

socket=${1:?usage: replay.sh SOCKET FILE}
file=${2:?usage: replay.sh SOCKET FILE}
patience=${SEAM_PATIENCE:-20}
number=0
declare -A bound=() reader=() writer=() ended=()

dir=$(mktemp -d "${TMPDIR:-/tmp}/seam-replay.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap '' PIPE # a daemon that takes no more is a difference, not the end of this script

differs() {
    printf '%s:%d: %s\n  came %s\n  not  %s\n' "$file" "$number" "$1" "$2" "$3" >&2
    [[ ! -s $dir/errors ]] || cat "$dir/errors" >&2
    exit 1
}
broken() {
    printf '%s:%d: %s\n' "$file" "$number" "$1" >&2
    exit 2
}

# Each client is a socat of its own between two pipes. A named one to it, since a second coproc is not bash's to give.
connect() {
    local client=$1 in out
    mkfifo "$dir/$client"
    exec {out}< <(
        # An end of somebody else's pipe held here would keep its socat from ever reading the end of it.
        for fd in "${writer[@]}"; do exec {fd}>&-; done
        # shut-close: the end of the stream is passed on at once, and not when both directions have ended.
        exec socat -t "$patience" 'STDIN!!FD:1,shut-close' "UNIX-CONNECT:$socket" <"$dir/$client" 2>>"$dir/errors"
    )
    exec {in}>"$dir/$client"
    reader[$client]=$out
    writer[$client]=$in
}

# The next line to a client, in $came, which is empty at the end of its stream.
receive() {
    local status=0
    while :; do
        IFS= read -r -t "$patience" -u "${reader[$1]}" came || status=$?
        ((status <= 128)) || differs "nothing came to $1 within $patience s" "" "$2"
        ((status == 0)) || return 0
        # Marks come by the clock.
        [[ $came == *'"kind":"mark"'* && $2 != *'"kind":"mark"'* ]] || return 0
    done
}

send() {
    [[ -n ${writer[$1]-} ]] || broken "$1 has ended and sends no more"
    printf '%s\n' "$2" 2>/dev/null >&"${writer[$1]}" || differs "from $1" "the end" "a daemon that takes $2"
}

word='"<([A-Za-z][a-z0-9-]*)>"'
text='"([^"\\]|\\.)*"'
value="^($text|-?[0-9][0-9.eE+-]*|\\[($text(,$text)*)?\\])"

# Whether $1 is the line $2, whose words it binds.
is_as() {
    local rest=$1 expected=$2 name before
    while [[ $expected =~ $word ]]; do
        name=${BASH_REMATCH[1]}
        before=${expected%%"\"<$name>\""*}
        expected=${expected#*"\"<$name>\""}
        [[ $rest == "$before"* ]] || return 1
        rest=${rest:${#before}}
        [[ $rest =~ $value ]] || return 1
        [[ ${bound[$name]:=${BASH_REMATCH[1]}} == "${BASH_REMATCH[1]}" ]] || return 1
        rest=${rest:${#BASH_REMATCH[1]}}
    done
    [[ $rest == "$expected" ]]
}

# The line $1 with each word as it was bound, in $filled.
fill() {
    local rest=$1 name
    filled=
    while [[ $rest =~ $word ]]; do
        name=${BASH_REMATCH[1]}
        [[ -n ${bound[$name]-} ]] || broken "nothing has bound <$name> yet"
        filled+=${rest%%"\"<$name>\""*}${bound[$name]}
        rest=${rest#*"\"<$name>\""}
    done
    filled+=$rest
}

while IFS= read -r line; do
    number=$((number + 1))
    if ((number == 1)); then
        [[ $line == '{"conversation":"'* ]] || broken "a conversation begins with its title"
        continue
    fi
    [[ $line =~ ^\{\"(from|to)\":\"([a-z]+)\",\"(line|text|end)\":(.*)\}$ ]] || broken "no line of a conversation: $line"
    client=${BASH_REMATCH[2]} given=${BASH_REMATCH[4]}
    [[ -n ${reader[$client]-} ]] || connect "$client"
    case ${BASH_REMATCH[1]}-${BASH_REMATCH[3]} in
    from-line)
        fill "$given"
        send "$client" "$filled"
        ;;
    from-text) send "$client" "$(jq -r .text <<<"$line")" ;;
    from-end)
        [[ $given == true ]] || broken "no line of a conversation: $line"
        fd=${writer[$client]}
        exec {fd}>&-
        unset "writer[$client]"
        ;;
    to-line)
        receive "$client" "$given"
        is_as "$came" "$given" || differs "to $client" "${came:-the end}" "$given"
        ;;
    to-end)
        [[ $given == true ]] || broken "no line of a conversation: $line"
        receive "$client" "the end"
        [[ -z $came ]] || differs "to $client" "$came" "the end"
        ended[$client]=yes
        ;;
    *) broken "no line of a conversation: $line" ;;
    esac
done <"$file"
((number > 1)) || broken "there is nothing in it"

for client in "${!reader[@]}"; do
    [[ -z ${ended[$client]-} ]] || continue
    if [[ -n ${writer[$client]-} ]]; then
        send "$client" '{"id":"the end","method":"seam.ping"}'
        receive "$client" "the answer to a ping"
        [[ $came == *'"id":"the end",'* ]] || differs "to $client, behind all" "$came" "the answer to a ping"
    else
        receive "$client" "the end"
        [[ -z $came ]] || differs "to $client, behind all" "$came" "the end"
    fi
done
