#!/usr/bin/env bash
# The step of a pipeline: SCENARIOS, BASELINE, MAX_REGRESSION and ARGUMENTS become arguments of check.sh.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)

arguments=()
# Patterns and words of the inputs are split as a shell would, but nothing in them is run.
for scenario in ${SCENARIOS:-}; do
    arguments+=("$scenario")
done
if [[ -n ${BASELINE:-} ]]; then
    arguments+=(--baseline "$BASELINE" --max-regression "${MAX_REGRESSION:-2%}" --if-no-baseline pass)
fi
if [[ -n ${ARGUMENTS:-} ]]; then
    mapfile -d '' -t more < <(xargs printf '%s\0' <<<"$ARGUMENTS")
    arguments+=("${more[@]}")
fi
# The program of this checkout, unless another one is named.
export FABRICAST=${FABRICAST:-$here/../tools/run}
exec bash "$here/check.sh" "${arguments[@]}"
