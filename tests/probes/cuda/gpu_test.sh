#!/usr/bin/env bash
# gpu_test.sh PROBE POINTS: measures the points on a real GPU, whose results must be right. Ends with
# 77 where there is no GPU.
set -uo pipefail
"$1" --doctor || exit 77
exec "$1" --quiet --points "$2"
