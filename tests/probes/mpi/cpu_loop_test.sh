#!/usr/bin/env bash
# cpu_loop_test.sh SOURCE BUILD: an interrupted loop leaves no namespace and no process, and two
# loops at once do not meet.
set -muo pipefail  # -m: background jobs heed Ctrl-C
loop=$1/tools/cpu-loop
failed=0
spaces() { ip netns list 2>/dev/null | awk -v run="fl$1-" 'index($1, run) == 1' | wc -l; }
# Whether a process still runs: one that has ended and that nobody has asked after does not.
runs() { grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null; }
expect() { [[ $1 == "$2" ]] || { printf '%s: %s instead of %s\n' "$3" "$1" "$2" >&2; failed=1; }; }

"$loop" --hosts 1 2>/dev/null
expect $? 2 'one host is no cluster'
"$loop" --rate fast 2>/dev/null
expect $? 2 'a rate that is none'

"$loop" --hosts 2 --short --build "$2" >/dev/null 2>"${TMPDIR:-/tmp}/cpu_loop.$$" &
first=$!
"$loop" --hosts 3 --short --build "$2" >/dev/null 2>&1 &
second=$!
inside() { ip netns list | awk -v run="fl$first-" 'index($1, run) == 1 { print $1 }' | while read -r space; do ip netns pids "$space"; done; }
# Until both have their hosts and the first measures on them, or has ended.
for ((tries = 0; tries < 300; tries++)); do
    kill -0 "$first" 2>/dev/null || break
    [[ $(spaces "$first") == 3 && $(spaces "$second") == 4 && $(inside) ]] && break
    sleep 0.1
done
if ! kill -0 "$first" 2>/dev/null; then
    wait "$first"
    code=$?
    wait "$second"
    cat "${TMPDIR:-/tmp}/cpu_loop.$$" >&2
    rm -f "${TMPDIR:-/tmp}/cpu_loop.$$"
    exit "$code"
fi
rm -f "${TMPDIR:-/tmp}/cpu_loop.$$"
expect "$(spaces "$first")" 3 'namespaces of two hosts and a bridge'
expect "$(spaces "$second")" 4 'namespaces of three hosts and a bridge'
pids=$(inside)
[[ $pids ]] || { echo 'nothing runs in the namespaces' >&2; failed=1; }
kill -INT "$first"
kill -TERM "$second"
wait "$first"
expect $? 130 'an interrupted loop'
wait "$second"
expect $? 143 'an ended loop'
expect "$(spaces "$first")" 0 'namespaces that are left'
expect "$(spaces "$second")" 0 'namespaces that are left of the other'
sleep 1
for pid in $pids; do
    runs "$pid" && { printf 'process %s is left\n' "$pid" >&2; failed=1; }
done
exit "$failed"
