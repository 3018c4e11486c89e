#!/usr/bin/env bash
# tests/tools/check_launch_configs_test.sh REPOSITORY: what tools/check-launch-configs says without a framework.
set -uo pipefail
tool=$1/tools/check-launch-configs
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
failures=0

# expect STATUS PATTERN ARGS…: how it ends, and what it says.
expect() {
    local status
    "$tool" "${@:3}" >"$scratch/said" 2>&1
    status=$?
    [[ $status == "$1" ]] && grep -qE -- "$2" "$scratch/said" && return
    failures=$((failures + 1))
    printf 'FAILED: %s: status %s, said: %s\n' "${*:3}" "$status" "$(cat "$scratch/said")"
}

expect 0 '--only KIND' --help
expect 0 '--no-deps torchtitan==' --print-install --venvs "$scratch"
expect 0 'apt-get download .* slurm-client' --print-install --only slurm
expect 2 'invalid choice' --only nothing
expect 4 'is missing; --program PATH names another' --program "$scratch/none"
[[ -z $(ls "$scratch" | grep -v said) ]] || { echo 'FAILED: --print-install made something'; failures=1; }
((failures == 0)) && echo "all well"
exit "$((failures > 0))"
