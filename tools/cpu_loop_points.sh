# Sourced by tools/cpu-loop: which points are measured to calibrate, and which are forecast. Reads
# $hosts and $short.

# collective WHAT RANKS EXTRA BYTES…
collectives() {
    local what=$1 ranks=$2 extra=$3 bytes
    shift 3
    for bytes; do
        printf '%s bytes=%s nodes=%d ranks=%d%s\n' "$what" "$bytes" "$ranks" "$ranks" "$extra"
    done
}

# Groups that calibrate: pairs, and all but one host. The group of all is forecast.
calibrated_groups() {
    echo 2
    ((hosts > 3)) && echo $((hosts - 1))
}

calibration_points() {
    local group sizes=(16K 64K 128K 256K 512K 1M 4M 16M 64M) shards=(64K 1M 4M 16M)
    [[ $short == yes ]] && sizes=(64K 128K 256K 1M 4M 16M) shards=(256K 4M 16M)
    for group in $(calibrated_groups); do
        collectives all_reduce "$group" '' "${sizes[@]}"
        collectives all_gather "$group" '' "${shards[@]}"
        collectives reduce_scatter "$group" '' "${shards[@]}"
    done
    local m n k layout products=$'256 384 384\n256 768 384\n256 384 1024\n512 512 512\n512 1024 384'
    [[ $short == yes ]] || products+=$'\n128 384 384\n768 256 384\n256 1024 256'
    while read -r m n k; do
        for layout in tn nn nt; do
            printf 'gemm dtype=fp32 k=%d layout=%s m=%d n=%d\n' "$k" "$layout" "$m" "$n"
        done
    done <<<"$products"
    printf 'memory bytes=64M op=copy\n'
    local op
    for op in norm swiglu add softmax cross_entropy; do
        printf 'memory columns=256 op=%s rows=1024\n' "$op"
    done
    local pass
    for pass in forward backward; do
        printf 'attention batch=2 causal=1 dim=64 dtype=fp32 heads=6 kv_heads=6 pass=%s sequence=192\n' "$pass"
        printf 'attention batch=2 causal=1 dim=64 dtype=fp32 heads=6 kv_heads=6 pass=%s sequence=384\n' "$pass"
    done
    printf 'adam form=flat parameters=2M\nadam form=flat parameters=6M\n'
    printf 'overlap bytes=8M k=512 m=512 n=512 ranks=%d\n' "$hosts"
}

# Sizes between those that calibrate, in groups that do not: all hosts, and other pairs of them.
held_out_points() {
    local sizes=(64K 96K 192K 384K 768K 1536K 3M 6M 12M 24M 48M 64M)
    [[ $short == yes ]] && sizes=(96K 192K 1536K 6M 12M)
    if ((hosts > 2)); then
        collectives all_reduce "$hosts" '' "${sizes[@]}"
        collectives all_reduce 2 ' stride=2' 128K 768K 3M 12M
    else
        collectives all_reduce 2 '' $(printf '%s\n' "${sizes[@]}" | grep -vx -e 64K -e 64M)
    fi
    steps
}

steps() {
    local stack layers=4
    [[ $short == yes ]] && layers=2
    for stack in ddp fsdp2; do
        printf 'step batch=%d ffn=1024 hidden=384 layers=%d nodes=%d ranks=%d sequence=256 stack=%s vocab=2048\n' \
            $((2 * hosts)) "$layers" "$hosts" "$hosts" "$stack"
    done
}

# interleaved A B: the lines of both, B's spread evenly among A's.
interleaved() {
    awk -v many="$(wc -l <"$1")" -v few="$(wc -l <"$2")" '
        FNR == NR { print (FNR - 0.5) / many "\t" $0; next }
        { print (FNR - 0.5) / few "\t" $0 }' "$1" "$2" | sort -n -k 1,1 -s | cut -f 2-
}

# only POINTS RECORD: the record's head and its lines of these points.
only() {
    awk 'FNR == NR { wanted["{\"point\":\"" $0 "\""] = 1; next }
         FNR == 1 { print; next }
         { end = index(substr($0, 11), "\""); if (substr($0, 1, 10 + end) in wanted) print }' "$1" "$2"
}
