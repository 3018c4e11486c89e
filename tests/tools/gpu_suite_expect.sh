# Sourced by the tests of tools/gpu-suite, each called with ROOT BINARIES NULL_DEVICE [NULL_NCCL]: what they share.
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
