#!/usr/bin/env bash
# gpu_suite_test.sh ROOT BINARIES NULL_DEVICE [NULL_NCCL]: the script's whole flow on a device that is
# not there. Without NULL_NCCL, or a fit among BINARIES, it is tested that those are left out.
set -uo pipefail
suite=$1/tools/gpu-suite binaries=$2 null_device=$3 null_nccl=${4-}
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
failures=0

expect() {
    local what=$1
    shift
    "$@" || {
        printf 'not so: %s\n' "$what" >&2
        cat "$work/table" >&2
        failures=$((failures + 1))
    }
}

# Only the probe of one GPU.
mkdir "$work/binaries"
ln -s "$binaries/fabricast-probe-cuda" "$work/binaries/"

# All of it, on one device that takes no time: products enough for a fit.
"$suite" --binaries "$binaries" --preload "$null_device $null_nccl" --seconds 30 --gpu h200-sxm-141gb \
    "$work/out" >"$work/table" 2>&1
expect "it ends with 0" test $? = 0
expect "it says where the records are" grep -qx "records: $work/out" "$work/table"
for step in cuda-doctor cuda-quick nccl-doctor nccl-one-gpu nccl-two-ranks nccl-four-ranks host-quick fit; do
    program=fabricast-probe-${step%%-*}
    [[ $step == fit ]] && program=fabricast-fit
    if [[ -x $binaries/$program ]]; then
        expect "$step ran" grep -q "^$step .* done$" "$work/table"
    else
        expect "$step was left out" test "$(grep -c "^$step .* done$" "$work/table")" = 0
    fi
done
for record in cuda nccl host; do
    [[ ! -x $binaries/fabricast-probe-$record ]] ||
        expect "the record of $record has points" test "$(wc -l <"$work/out/$record.jsonl")" -gt 3
done
[[ ! -x $binaries/fabricast-fit ]] ||
    expect "the fit wrote a profile" test -s "$work/out/profile/kernels/h200-sxm-141gb.json"
expect "the summary has lines" test "$(wc -l <"$work/out/summary.tsv")" -gt 3

"$suite" --binaries "$work/binaries" --preload "$null_device" --seconds 2 "$work/one" >"$work/table" 2>&1
expect "what was not built is said" grep -q 'left out: fabricast-probe-nccl was not built' "$work/table"
expect "also the fit" grep -q 'left out: fabricast-fit was not built' "$work/table"

# A probe that never ends, nor when it is asked to.
mkdir "$work/stalls"
cat >"$work/stalls/fabricast-probe-cuda" <<'END'
#!/usr/bin/env bash
[[ $1 == --doctor ]] && exit
trap '' TERM
echo "$$" >"${0%/*}/pid"
while :; do sleep 1; done
END
chmod +x "$work/stalls/fabricast-probe-cuda"
begin=$SECONDS
"$suite" --binaries "$work/stalls" --preload "$null_device" --within 8 "$work/stalled" >"$work/table" 2>&1
expect "a stalled probe fails it" test $? = 1
expect "and is named" grep -q '^cuda-quick .* FAILED: took longer than [5-8] s$' "$work/table"
expect "all ends soon after its time" test $((SECONDS - begin)) -lt 40
# Who has ended and waits for its parent is not running.
state=$(sed -n 's/^State:[[:space:]]*//p' "/proc/$(<"$work/stalls/pid")/status" 2>/dev/null)
expect "and nothing is left running" test "${state:0:1}" = "${state:+Z}"

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
