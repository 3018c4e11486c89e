#!/usr/bin/env bash
# window_manager_test.sh TEST_GUI: the journeys on a screen of X11 with a window manager, where focus, activation and
# dialogs are as people have them. Exit status 77 (skipped) where Xvfb or openbox is missing.
set -uo pipefail
test_gui=$1
for program in Xvfb openbox; do
    command -v "$program" >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
folder=$(mktemp -d)
screen=
manager=
trap 'kill $manager $screen 2>/dev/null; wait; rm -rf -- "$folder"' EXIT
export HOME=$folder XDG_RUNTIME_DIR=$folder

Xvfb -displayfd 5 -screen 0 1600x1000x24 -nolisten tcp 5>"$folder/display" 2>"$folder/screen.log" &
screen=$!
for _ in $(seq 100); do
    [[ -s $folder/display ]] && break
    sleep 0.1
done
if [[ ! -s $folder/display ]]; then
    echo "Xvfb does not start:" >&2
    cat "$folder/screen.log" >&2
    exit 1
fi
export DISPLAY=:$(<"$folder/display")
openbox >"$folder/manager.log" 2>&1 &
manager=$!
sleep 1
FABRICAST_GUI_PLATFORM=xcb timeout 600 "$test_gui" --gtest_brief=1 \
    --gtest_filter='*Journey*:TourTest.*:Access.*'
