# Sourced by tools/cpu-loop: forecasts beside measurements. Reads $work, $build, $hosts, $short and $load.

# The step of a point "step batch=… stack=…" by the profiles, in seconds.
step_forecast() {
    local setting batch ffn hidden layers nodes ranks sequence stack vocab
    for setting in ${1#step }; do
        local "$setting"
    done
    printf '{"model_type": "llama", "hidden_size": %d, "intermediate_size": %d, "num_hidden_layers": %d,
 "num_attention_heads": %d, "num_key_value_heads": %d, "vocab_size": %d, "max_position_embeddings": %d,
 "tie_word_embeddings": false, "hidden_act": "silu", "architectures": ["LlamaForCausalLM"]}\n' \
        "$hidden" "$ffn" "$layers" $((hidden / 64)) $((hidden / 64)) "$vocab" "$sequence" >"$work/step.json"
    "$build/cli/fabricast" --profile-dir "$work/profiles" explain -m "$work/step.json" -c loop \
        --stack "$stack" --layout micro_batch=$((batch / ranks)) --precision fp32 --seq "$sequence" \
        --global-batch "$batch" --set settings.kernels.compile=true --set settings.optimizer.kernel=fused --section time --format csv \
        2>"$work/why" | awk -F, '$1 == "step" { print $2 }'
}

# median_of RECORD POINT
median_of() {
    awk -v point="{\"point\":\"$2\"" 'index($0, point) == 1 {
        match($0, /"median":[0-9.e+-]+/); print substr($0, RSTART + 9, RLENGTH - 9) }' "$1"
}

# "point,measured,forecast" of all that was held out.
forecasts() {
    local point forecast
    "$build/tests/programs/cpu_loop_forecast" "$work/profiles" loop "$work/held_out.jsonl" || return
    while read -r point; do
        forecast=$(step_forecast "$point")
        [[ $forecast ]] || { cat "$work/why" >&2; return 1; }
        printf '%s,%s,%s\n' "$point" "$(median_of "$work/held_out.jsonl" "$point")" "$forecast"
    done < <(grep '^step ' "$work/held_out")
}

# Prints the table and judges it.
compare() {
    forecasts >"$work/forecasts" || exit 1
    local point measured forecast ring_bar=10 step_bar=15
    [[ $short == yes ]] && ring_bar=25 step_bar=40
    while IFS=, read -r point measured forecast; do
        printf '%s,%s,%s,%s\n' "$point" "$measured" "$(median_of "$work/again.jsonl" "$point")" "$forecast"
    done <"$work/forecasts" | sort -t, -k 1,1 -s | awk -F, -v hosts="$hosts" -v cannot="$CANNOT" -v load="$load" -v cores="$(nproc)" \
        -v ring_bar="$ring_bar" -v step_bar="$step_bar" '
        function percent(a, b) { return 100 * (a / b - 1) }
        function distance(x) { return x < 0 ? -x : x }
        function middle(list, n,   i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && list[j - 1] > list[j]; j--) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
            return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
        }
        BEGIN { printf "%-76s %10s %10s %10s %8s\n", "point", "ms", "again", "forecast", "error" }
        {
            usual = ($2 + $3) / 2
            error = percent($4, usual)
            printf "%-76s %10.3f %10.3f %10.3f %+7.1f%%\n", $1, 1e3 * $2, 1e3 * $3, 1e3 * $4, error
            if ($1 ~ /^step/) { step[++steps] = distance(error); again[steps] = distance(percent($3, $2)) }
            else { ring[++rings] = distance(error); unlike[rings] = distance(percent($3, $2)) }
        }
        END {
            error = middle(ring, rings); apart = middle(unlike, rings)
            printf "all_reduce, %d hosts: median error %.1f %% (bar %d %%); measured twice, %.1f %% apart\n", hosts, error, ring_bar, apart
            failed = error > ring_bar; unfit = apart > 10
            for (i = 1; i <= steps; i++) {
                failed = failed || step[i] > step_bar
                unfit = unfit || again[i] > 10
            }
            if (failed && load > cores) {
                printf "cpu-loop: skipped: this machine is too busy to judge: a load of %s on %d cores before the loop began\n", load, cores > "/dev/stderr"
                exit cannot
            }
            if (failed && unfit) {
                print "cpu-loop: skipped: this machine is too busy to judge: the same measured twice is over 10 % apart" > "/dev/stderr"
                exit cannot
            }
            exit failed
        }'
}
