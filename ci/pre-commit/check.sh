#!/usr/bin/env bash
# Checks the scenarios that pre-commit hands over; other JSON files among them are left alone.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)

scenarios=()
for file in "$@"; do
    grep -q '"fabricast\.scenario/1"' -- "$file" && scenarios+=("$file")
done
((${#scenarios[@]})) || exit 0
exec "${FABRICAST:-$here/../../tools/run}" check -- "${scenarios[@]}"
