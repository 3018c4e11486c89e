#!/usr/bin/env bash
# ci/check.sh ARGS…: `fabricast check ARGS…` as a pipeline wants it. Ends with its exit code.
# On GitHub it also writes annotations and the job's summary, and names the files of the report as outputs of the
# step; on GitLab it writes the reports that a merge request shows. FABRICAST names another program;
# FABRICAST_REPORTS the folder of the reports. With --refused in place of ARGS nothing is checked, as they are wrong.
set -uo pipefail

program=${FABRICAST:-fabricast}
folder=${FABRICAST_REPORTS:-fabricast-reports}
mkdir -p -- "$folder" || exit 4
reports=(--report "junit=$folder/junit.xml" --report "sarif=$folder/check.sarif" --report "md=$folder/comment.md")
rm -f -- "$folder"/{junit.xml,check.sarif,comment.md,annotations.txt,codequality.json}
[[ ${GITHUB_ACTIONS:-} == true ]] && reports+=(--report "github=$folder/annotations.txt")
[[ ${GITLAB_CI:-} == true ]] && reports+=(--report "gitlab=$folder/codequality.json")

if [[ ${1:-} == --refused ]]; then
    status=2
else
    "$program" check "${reports[@]}" "$@"
    status=$?
fi

on_github() {
    if [[ -f $folder/annotations.txt ]]; then
        cat -- "$folder/annotations.txt"
    else
        # What it says of itself is in the log above.
        echo "::error title=fabricast check::nothing could be checked (exit status $status)"
    fi
    if [[ -n ${GITHUB_STEP_SUMMARY:-} && -f $folder/comment.md ]]; then
        cat -- "$folder/comment.md" >>"$GITHUB_STEP_SUMMARY"
    fi
    if [[ -n ${GITHUB_OUTPUT:-} ]]; then
        echo "status=$status" >>"$GITHUB_OUTPUT"
        [[ -f $folder/comment.md ]] && echo "comment=$folder/comment.md" >>"$GITHUB_OUTPUT"
        [[ -f $folder/check.sarif ]] && echo "sarif=$folder/check.sarif" >>"$GITHUB_OUTPUT"
    fi
}
[[ ${GITHUB_ACTIONS:-} == true ]] && on_github
exit "$status"
