#!/usr/bin/env bash
# ci/check.sh ARGS…: `fabricast check ARGS…` as a pipeline wants it. Ends with its exit code.
# On GitHub it also writes annotations and the job's summary, and names the files of the report as outputs of the
# step; on GitLab it writes the reports that a merge request shows. FABRICAST names another program;
# FABRICAST_REPORTS the folder of the reports.
set -uo pipefail

program=${FABRICAST:-fabricast}
folder=${FABRICAST_REPORTS:-fabricast-reports}
mkdir -p -- "$folder" || exit 4
reports=(--report "junit=$folder/junit.xml" --report "sarif=$folder/check.sarif" --report "md=$folder/comment.md")
rm -f -- "$folder"/{junit.xml,check.sarif,comment.md,annotations.txt,codequality.json}
[[ ${GITHUB_ACTIONS:-} == true ]] && reports+=(--report "github=$folder/annotations.txt")
[[ ${GITLAB_CI:-} == true ]] && reports+=(--report "gitlab=$folder/codequality.json")

"$program" check "${reports[@]}" "$@"
status=$?

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
        printf 'status=%s\ncomment=%s\nsarif=%s\n' \
            "$status" "$folder/comment.md" "$folder/check.sarif" >>"$GITHUB_OUTPUT"
    fi
}
[[ ${GITHUB_ACTIONS:-} == true ]] && on_github
exit "$status"
