#!/usr/bin/env bash
# The step of a pipeline: SCENARIOS, BASELINE, MAX_REGRESSION and ARGUMENTS become arguments of check.sh.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)

arguments=()
if [[ -n ${BASELINE:-} ]]; then
    arguments+=(--baseline "$BASELINE" --max-regression "${MAX_REGRESSION:-2%}" --if-no-baseline pass)
fi
if [[ -n ${ARGUMENTS:-} ]]; then
    # Split as a shell would, but nothing in it is run.
    mapfile -d '' -t more < <(xargs printf '%s\0' <<<"$ARGUMENTS")
    if ! wait "$!"; then
        echo "error: ARGUMENTS: a quote is left open, or a line ends in one: $ARGUMENTS" >&2
        exit 2
    fi
    arguments+=("${more[@]}")
fi
# Patterns too; what they find is a file, whatever it is called.
arguments+=(--)
for scenario in ${SCENARIOS:-}; do
    arguments+=("$scenario")
done
# The program of this checkout, unless another one is named.
export FABRICAST=${FABRICAST:-$here/../tools/run}
exec bash "$here/check.sh" "${arguments[@]}"
