#!/usr/bin/env bash
# gpu_suite_measures_test.sh ROOT BINARIES NULL_DEVICE [NULL_NCCL]: the script's whole flow on a device that is
# not there. Without NULL_NCCL, or a fit among BINARIES, it is tested that those are left out.
source "${BASH_SOURCE[0]%/*}/gpu_suite_expect.sh"

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
exit "$failures"
