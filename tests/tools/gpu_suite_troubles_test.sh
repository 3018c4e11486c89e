#!/usr/bin/env bash
# gpu_suite_troubles_test.sh ROOT BINARIES NULL_DEVICE: parts that were not built, a probe that never ends, wrong
# results, no GPU, bad words.
source "${BASH_SOURCE[0]%/*}/gpu_suite_expect.sh"

# Only the probe of one GPU.
mkdir "$work/binaries"
ln -s "$binaries/fabricast-probe-cuda" "$work/binaries/"

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
