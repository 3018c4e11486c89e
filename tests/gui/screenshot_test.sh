#!/usr/bin/env bash
# screenshot_test.sh FABRICAST_GUI: pictures of pages, and what is refused.
set -uo pipefail
gui=$1
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
export HOME=$folder XDG_RUNTIME_DIR=$folder
failures=0

# expect CODE WORDS ARGUMENTS…: the exit code, and words of what it says.
expect() {
    local code=$1 words=$2 output status
    shift 2
    output=$("$gui" "$@" 2>&1)
    status=$?
    if [[ $status != "$code" || $output != *"$words"* ]]; then
        printf 'fabricast-gui %s: exit %s, not %s with "%s":\n%s\n' "$*" "$status" "$code" "$words" "$output" >&2
        failures=$((failures + 1))
    fi
}

# size FILE: "1280x800", from the header of a PNG.
size() {
    od -A n -t u1 -j 16 -N 8 "$1" | awk '{print $3 * 256 + $4 "x" $7 * 256 + $8}'
}

expect 0 "" --screenshot layouts "$folder/light.png" --theme light
expect 0 "" --screenshot layouts "$folder/dark.png" --theme dark --scale 2 --size 1240x760
[[ $(size "$folder/light.png") == 1280x800 ]] || { echo "light.png: $(size "$folder/light.png")" >&2; failures=$((failures + 1)); }
[[ $(size "$folder/dark.png") == 2480x1520 ]] || { echo "dark.png: $(size "$folder/dark.png")" >&2; failures=$((failures + 1)); }
expect 0 "" --screenshot what-if "$folder/tab.png"
[[ -z $("$gui" --screenshot network "$folder/tab.png" 2>&1) ]] || { echo "words beside a picture" >&2; failures=$((failures + 1)); }
expect 2 "has no room" --screenshot layouts "$folder/no.png" --size 700x400
expect 2 "network" --screenshot garden "$folder/no.png"
expect 2 "is no page" --screenshot garden "$folder/no.png"
expect 2 "is no theme" --theme pink
for scale in nan inf 0.5 9 x; do
    expect 2 "is from 1 to 4" --screenshot layouts "$folder/no.png" --scale "$scale"
done
expect 2 "cannot be opened" /nowhere/run.json --screenshot layouts "$folder/no.png"
expect 4 "cannot be written" --screenshot layouts /nowhere/at/all.png
expect 2 ".png" --screenshot layouts "$folder/no.svg"
[[ ! -e $folder/no.svg ]] || { echo "a picture of another kind than its name says" >&2; failures=$((failures + 1)); }
printf '{"schema": "fabricast.scenario/1", "model": "llama-3.1-8b", "cluster": {"name": "dgx-h100"}}' >"$folder/run.json"
cp "$folder/run.json" "$folder/kept.json"
ln "$folder/run.json" "$folder/hard.png"
ln -s run.json "$folder/soft.png"
expect 0 "" "$folder/run.json" --screenshot layouts "$folder/run.png"
for place in run.json hard.png soft.png; do
    expect 2 "was read" "$folder/run.json" --screenshot layouts "$folder/$place"
done
cmp -s "$folder/run.json" "$folder/kept.json" || { echo "a picture took the place of the study" >&2; failures=$((failures + 1)); }
sed 's/llama-3.1-8b/no-such-model/' "$folder/kept.json" >"$folder/wrong.json"
expect 2 "no-such-model" "$folder/wrong.json" --screenshot layouts "$folder/no.png"
printf '{"schema": "fabricast.scenario/1", "model": "m\\u202e\\u0007"}' >"$folder/odd.json"
expect 2 'm\x' "$folder/odd.json" --screenshot layouts "$folder/no.png"
printf '{"schema": "fabricast.scenario/1", "model": "llama-3.1-8b"}' >"$folder/begun.json"
expect 0 "" "$folder/begun.json" --screenshot layouts "$folder/begun.png"  # which says what comes next
[[ -s $folder/begun.png ]] || { echo "no picture of a study without hardware" >&2; failures=$((failures + 1)); }
mkfifo "$folder/pipe.png"
expect 4 "a pipe that nobody reads" --screenshot layouts "$folder/pipe.png"
# A report of the whole study, and nothing of a browser.
expect 0 "" "$folder/run.json" --export "$folder/study.pdf"
expect 0 "" "$folder/run.json" --export "$folder/again.pdf"
[[ $(head -c 5 "$folder/study.pdf") == %PDF- ]] || { echo "study.pdf is none" >&2; failures=$((failures + 1)); }
cmp -s "$folder/study.pdf" "$folder/again.pdf" || { echo "the same study, other bytes" >&2; failures=$((failures + 1)); }
expect 0 "" "$folder/run.json" --export "$folder/study.html"
expect 2 ".pdf or .html" "$folder/run.json" --export "$folder/study.docx"
expect 2 "needs a value" --export
expect 2 "no-such-model" "$folder/wrong.json" --export "$folder/no.png"
expect 4 "cannot be written" "$folder/run.json" --export /nowhere/at/all.pdf
# What fabricast plan says of a study that is refused, and nothing that fabricast-gui does not take.
printf '{"schema": "fabricast.scenario/1", "model": "llama-3.1-8b", "cluster": {"name": "4x-rtx-4090"}, "stack": "megatron", "settings": {"tuning": "lora"}}' >"$folder/refused.json"
expect 2 "megatron has no LoRA" "$folder/refused.json" --export "$folder/no.pdf"
expect 2 "--stack torchtitan" "$folder/refused.json" --export "$folder/no.pdf"
printf 'base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 2\nadapter: lora\n' >"$folder/launch.yaml"
expect 2 "fabricast import $folder/launch.yaml -c dgx-h100 -o study.json, and fabricast-gui study.json" \
    "$folder/launch.yaml" --export "$folder/no.pdf"
[[ ! -e $folder/no.png ]] || { echo "a picture was written all the same" >&2; failures=$((failures + 1)); }
exit $((failures > 0))
