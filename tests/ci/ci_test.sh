#!/usr/bin/env bash
# ci_test.sh SOURCE PROGRAM: the scripts of ci/ with the environment that GitHub, GitLab and pre-commit give them.
set -uo pipefail
source_dir=$1
export FABRICAST=$2
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd -- "$folder" || exit 1
failures=0

# expect WHAT COMMAND…: counts what does not hold.
expect() {
    local what=$1
    shift
    "$@" || {
        echo "failed: $what"
        failures=$((failures + 1))
    }
}
contains() { grep -qF -- "$2" "$1"; }
lacks() { ! grep -qF -- "$2" "$1" 2>/dev/null; }

scenario() { # NAME CLUSTER
    cat >"$1" <<JSON
{
  "schema": "fabricast.scenario/1",
  "model": "llama-3.1-8b",
  "cluster": "$2",
  "stack": "fsdp2",
  "workload": {"sequence": 4096, "global_batch": 16},
  "require": ["fits"]
}
JSON
}
scenario good.json dgx-h100
scenario bad.json 8x-rtx-4090
echo '{"not": "a scenario"}' >other.json

github() {
    GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$folder/summary GITHUB_OUTPUT=$folder/outputs "$@"
}
github env SCENARIOS='good.json' bash "$source_dir/ci/step.sh" >log 2>&1
expect "GitHub: what fits passes" test $? == 0
expect "GitHub: no annotation where nothing fails" lacks log '::error'
: >summary
github env SCENARIOS='*d.json' ARGUMENTS="--require 'step_s <= 100'" bash "$source_dir/ci/step.sh" >log 2>&1
expect "GitHub: a pattern, and what does not fit fails" test $? == 1
expect "GitHub: the line of the requirement" contains log '::error file=bad.json,line=7,col=15,title=fits::fits fails'
expect "GitHub: quoted arguments stay together" contains log 'step_s <= 100'
expect "GitHub: the summary" contains summary '| fits |'
expect "GitHub: the mark of the comment" contains fabricast-reports/comment.md '<!-- fabricast:check -->'
expect "GitHub: the step's outputs" contains outputs 'status=1'
expect "GitHub: SARIF" contains fabricast-reports/check.sarif '"ruleId": "fits"'
github env SCENARIOS='missing.json' bash "$source_dir/ci/step.sh" >log 2>&1
expect "GitHub: what is missing is bad input" test $? == 2
expect "GitHub: and is an annotation" contains log '::error title=fabricast check::'
expect "GitHub: no report of the run before" test ! -e fabricast-reports/junit.xml
github env SCENARIOS='good.json' ARGUMENTS='--require "$(touch planted)"' bash "$source_dir/ci/step.sh" >log 2>&1
expect "GitHub: nothing in an input is run" test ! -e planted
for open in '"--require=mfu >= 90%' '--uncertain pass --require="mfu >= 90%' $'--require="mfu >= 90%\n"'; do
    github env SCENARIOS='good.json' ARGUMENTS="$open" bash "$source_dir/ci/step.sh" >log 2>&1
    expect "GitHub: arguments with an open quote are refused" test $? == 2
    expect "GitHub: and that is all that is said" test "$(head -c 7 log)" == "error: "
done
for open in '--uncertain pass\' $'--uncertain \\\npass'; do
    github env SCENARIOS='good.json' ARGUMENTS="$open" bash "$source_dir/ci/step.sh" >log 2>&1
    expect "GitHub: a line that ends in a backslash is refused" contains log 'error: ARGUMENTS: a line ends in a backslash'
done
github env SCENARIOS='good.json' bash "$source_dir/ci/step.sh" >log 2>&1
: >outputs
github env SCENARIOS='good.json' ARGUMENTS='--require "fits' bash "$source_dir/ci/step.sh" >log 2>&1
expect "GitHub: what is refused leaves no report of the run before" test ! -e fabricast-reports/junit.xml
expect "GitHub: and is an annotation" contains log '::error title=fabricast check::'
expect "GitHub: and an output" contains outputs 'status=2'
expect "GitHub: no output names a report that is not there" lacks outputs 'comment='
github env SCENARIOS=' ' bash "$source_dir/ci/step.sh" >log 2>&1
expect "GitHub: no scenario is bad input" test $? == 2
expect "GitHub: and is said" contains log 'error: SCENARIOS'
: >outputs
github env SCENARIOS='good.json' ARGUMENTS='--uncertain maybe' bash "$source_dir/ci/step.sh" >log 2>&1
expect "GitHub: what is wrong before the scenarios is named" contains log '--uncertain: cannot be "maybe"'
expect "GitHub: without its SARIF" lacks outputs 'sarif='
touch -- --no-fail
github env SCENARIOS='[-b]*' bash "$source_dir/ci/step.sh" >log 2>&1
expect "GitHub: the name of a file is no flag" test $? == 2
rm -- --no-fail

GITLAB_CI=true SCENARIOS=bad.json bash "$source_dir/ci/step.sh" >log 2>&1
expect "GitLab: what does not fit fails" test $? == 1
expect "GitLab: code quality" contains fabricast-reports/codequality.json '"check_name": "fits"'
expect "GitLab: JUnit" contains fabricast-reports/junit.xml '<failure type="fails"'

bash "$source_dir/ci/pre-commit/check.sh" good.json other.json >log 2>&1
expect "pre-commit: other JSON is left alone" test $? == 0
bash "$source_dir/ci/pre-commit/check.sh" good.json bad.json other.json >log 2>&1
expect "pre-commit: what does not fit is not committed" test $? == 1
cp good.json ./-good.json
bash "$source_dir/ci/pre-commit/check.sh" -good.json >log 2>&1
expect "pre-commit: the name of a file is no flag" test $? == 0
rm -- -good.json
bash "$source_dir/ci/pre-commit/check.sh" other.json >log 2>&1
expect "pre-commit: nothing to check" test $? == 0

exit $((failures > 0))
