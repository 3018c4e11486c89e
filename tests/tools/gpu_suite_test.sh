#!/usr/bin/env bash
# gpu_suite_test.sh ROOT BINARIES NULL_DEVICE: the script's whole flow on a device that is not there.
set -uo pipefail
suite=$1/tools/gpu-suite binaries=$2 null_device=$3
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
failures=0

expect() {
    local what=$1
    shift
    "$@" || {
        printf 'not so: %s\n' "$what" >&2
        failures=$((failures + 1))
    }
}

# Only the probe of one GPU: what others need is theirs to test.
mkdir "$work/binaries"
ln -s "$binaries/fabricast-probe-cuda" "$work/binaries/"

"$suite" --binaries "$work/binaries" --preload "$null_device" --seconds 4 "$work/out" >"$work/table" 2>&1
expect "it ends with 0" test $? = 0
expect "it says where the records are" grep -qx "records: $work/out" "$work/table"
expect "the suite ran" grep -q '^cuda-quick .* done$' "$work/table"
expect "what was not built is said" grep -q 'left out: fabricast-probe-nccl was not built' "$work/table"
expect "the record has points" test "$(wc -l <"$work/out/cuda.jsonl")" -gt 3
expect "the summary has lines" test "$(wc -l <"$work/out/summary.tsv")" -gt 3

FABRICAST_NULL_RESULTS=wrong "$suite" --binaries "$work/binaries" --preload "$null_device" --seconds 4 \
    "$work/wrong" >"$work/table" 2>&1
expect "wrong results fail it" test $? = 1
expect "and are named" grep -q '^cuda-quick .*FAILED (1): .* with wrong results' "$work/table"

FABRICAST_NULL_GPUS=0 "$suite" --binaries "$work/binaries" --preload "$null_device" "$work/none" \
    >"$work/table" 2>&1
expect "no GPU ends with 4" test $? = 4

if [[ ! -e /dev/nvidiactl && ! -e /dev/dxg ]]; then
    "$suite" "$work/bare" >"$work/table" 2>&1
    expect "no driver ends with 4" test $? = 4
    expect "in one line" test "$(wc -l <"$work/table")" = 1
    expect "which says so" grep -q '^gpu-suite: no GPU here: ' "$work/table"
fi

for words in '--seconds none' '--seconds' '--fast' 'one two'; do
    # shellcheck disable=SC2086
    "$suite" --preload x $words >/dev/null 2>&1
    expect "'$words' is bad input" test $? = 2
done
exit "$failures"
