#!/usr/bin/env bash
# The step of a pipeline: SCENARIOS, BASELINE, MAX_REGRESSION and ARGUMENTS become arguments of check.sh.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
SCENARIOS=${SCENARIOS:-}

# refuse WHAT: nothing is checked; check.sh says so as of any other mistake, and no report of the run before stays.
refuse() {
    echo "error: $1" >&2
    exec bash "$here/check.sh" --refused
}

arguments=()
if [[ -z ${SCENARIOS//[[:space:]]/} ]]; then
    refuse "SCENARIOS: names no file"
fi
if [[ -n ${BASELINE:-} ]]; then
    arguments+=(--baseline "$BASELINE" --max-regression "${MAX_REGRESSION:-2%}" --if-no-baseline pass)
fi
if [[ -n ${ARGUMENTS:-} ]]; then
    if [[ $ARGUMENTS =~ (^|[^\\])(\\\\)*\\($'\n'|$) ]]; then
        refuse "ARGUMENTS: a line ends in a backslash: $ARGUMENTS"
    fi
    # Split as a shell would, but nothing in it is run.
    mapfile -d '' -t more < <(xargs printf '%s\0' <<<"$ARGUMENTS" 2>/dev/null)
    if ! wait "$!"; then
        refuse "ARGUMENTS: a quote is left open, or a line ends in one: $ARGUMENTS"
    fi
    arguments+=("${more[@]}")
fi
# Patterns too; what they find is a file, whatever it is called.
arguments+=(--)
for scenario in $SCENARIOS; do
    arguments+=("$scenario")
done
# The program of this checkout, unless another one is named.
export FABRICAST=${FABRICAST:-$here/../tools/run}
exec bash "$here/check.sh" "${arguments[@]}"
