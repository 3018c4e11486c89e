#!/bin/sh
# A probe that measures nothing: it plays what the file "mode" beside it says.
#   ok     three points, those that are in the record already left as they are
#   die    one point, then an exit that no probe has
#   kill   one point, then a signal
#   stall  one point, then silence, with a child of its own
#   slow   a point a while; Ctrl-C ends it as it ends probes
#   full   no room for any point
#   wrong  a point whose results are wrong
#   foreign  the record is another probe's
here=$(dirname "$0")
mode=$(cat "$here/mode")
for word in "$@"; do
    case $last in --out) out=$word ;; esac
    case $word in
        --inventory) cat "$here/inventory.json"; exit ;;
        --dry-run) printf 'all_reduce bytes=%s nodes=1 ranks=8\n' 1M 64M 1G; exit ;;
    esac
    last=$word
done

point() {
    name="all_reduce bytes=$1 nodes=1 ranks=8"
    grep -qs "\"$name\"" "$out" && return
    [ -e "$out" ] || echo '{"schema":"fabricast.measurements/1","machine":{"nccl":"2.28.9"},"program":"fabricast-probe-nccl","begun":"2026-11-22T19:00:00Z"}' > "$out"
    echo "{\"point\":\"$name\",\"unit\":\"s\",\"facts\":{\"busbw\":$3,\"wrong\":${4:-0}},\"samples\":[$2,$2]}" >> "$out"
    echo "[x/3] $name" >&2
}

case $mode in
    ok) point 1M 3e-5 61.166933333333333; point 64M 3e-4 391.468373333333333; point 1G 4e-3 469.762048; echo "fake-probe: done" >&2 ;;
    die) point 1M 3e-5 61.166933333333333; echo "fake-probe: rank 3 is gone" >&2; exit 9 ;;
    kill) point 1M 3e-5 61.166933333333333; kill -9 $$ ;;
    stall) point 1M 3e-5 61.166933333333333; sleep 300 & echo $! > "$here/pid"; wait ;;
    slow)
        trap 'echo "fake-probe: 1 measured, 2 left" >&2; exit 130' INT
        point 1M 3e-5 61.166933333333333
        while :; do sleep 0.05; done ;;
    full) echo "fake-probe: $out: cannot be written: No space left on device" >&2; exit 4 ;;
    foreign) echo "$out:1: is no record of this machine" >&2; exit 2 ;;
    wrong) point 1M 3e-5 61.166933333333333 2; exit 1 ;;
esac
