#!/usr/bin/env bash
# tests/tools/tools_test.sh REPOSITORY: tools/run and tools/gui on machines that are better and worse equipped.
# cmake, ninja, dpkg-query, apt-get, id and sudo are played by small scripts; nothing is installed.
set -uo pipefail
repository=$1
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
checkout="$scratch/a checkout"
mkdir -p "$scratch/bin" "$scratch/installed" "$checkout/tools"
cp "$repository"/tools/* "$checkout/tools/"
failures=0

play() {
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"$scratch/bin/$1"
    chmod +x "$scratch/bin/$1"
}

# A machine on which the given user (uid 0 or 1000) finds nothing installed and nothing built.
fresh_machine() {
    rm -rf -- "$checkout/build" "$scratch/installed"/* "$scratch/said"
    play id "echo $1"
    play sudo 'exit 1'
    play dpkg-query '[[ -e "$MACHINE/installed/${!#}" ]] && printf installed'
    play apt-get 'echo "apt-get $*" >>"$MACHINE/said"
        [[ $1 == install ]] && for word in "$@"; do touch "$MACHINE/installed/$word"; done; true'
    play cmake 'echo "cmake $*" >>"$MACHINE/said"
        [[ -e "$MACHINE/installed/cmake" ]] || { echo "cmake: command not found"; exit 127; }
        mkdir -p build/release && touch build/release/build.ninja
        echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >build/release/CMakeCache.txt'
    play ninja 'cd "$2" && echo "ninja" >>"$MACHINE/said"
        [[ -e cli/fabricast ]] && { echo "ninja: no work to do."; exit; }
        echo "[1/1] Linking"; mkdir -p cli
        printf "#!/bin/sh\necho program \"\$@\"\nexit 3\n" >cli/fabricast; chmod +x cli/fabricast
        mkdir -p gui; cp cli/fabricast gui/fabricast-gui'
}

# Runs a tool from elsewhere, with a home that cannot be written to and no input.
call_tool() {
    local tool=$1
    shift
    (cd / && MACHINE=$scratch HOME=/proc CI=true PATH="$scratch/bin:$PATH" \
        "$checkout/tools/$tool" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null)
    status=$?
}
call() { call_tool run "$@"; }

expect() {
    local what=$1
    shift
    "$@" && return
    failures=$((failures + 1))
    printf 'FAILED: %s\n  status %s\n  out: %s\n  err: %s\n' \
        "$what" "$status" "$(cat "$scratch/out")" "$(cat "$scratch/err")"
}
said() { grep -q -- "$1" "$scratch/said"; }

fresh_machine 0
call explain "two words"
expect "only the program speaks on stdout" test "$(cat "$scratch/out")" == "program explain two words"
expect "the program's exit status comes through" test "$status" == 3
expect "what is missing was installed" said "apt-get install .*nlohmann-json3-dev"
expect "tests' packages were not" test ! -e "$scratch/installed/libgtest-dev"
expect "the log is named" grep -qF "building (log: $checkout/build/release/log)" "$scratch/err"

: >"$scratch/said"
call
expect "a second call configures nothing" test "$(cat "$scratch/said")" == "ninja"
expect "and says nothing" test ! -s "$scratch/err"

echo "CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere" >"$checkout/build/release/CMakeCache.txt"
call
expect "a moved checkout is configured again" said "cmake --fresh --preset release"

fresh_machine 1000
call
expect "without permission the status is 4" test "$status" == 4
expect "and the command to type is shown" \
    grep -q "sudo apt-get install .*cmake.*libexpected-dev" "$scratch/err"
expect "and stdout stays empty" test ! -s "$scratch/out"
expect "and nothing was installed" test ! -e "$scratch/installed/g++"

fresh_machine 1000
touch "$scratch/installed/cmake"
call
expect "what is there without dpkg's knowledge is good enough" test "$status" == 3

fresh_machine 0
play apt-get 'exit 100'
call
expect "a failed installation is status 4 and names the log" \
    test "$status $(grep -c "could not install .*build/release/log)" "$scratch/err")" == "4 1"

fresh_machine 0
play ninja 'echo "[1/2] Building"; echo "x.cpp:1: error: no"; exit 1'
call
expect "a failed build is status 4" test "$status" == 4
expect "and shows the error and the log" \
    test "$(grep -cE 'x.cpp:1: error: no|could not build .*release/log' "$scratch/err")" == 2

fresh_machine 0
call
expect "tools/run asks for no Qt" test ! -e "$scratch/installed/qt6-base-dev"
echo "Qt6_DIR:PATH=Qt6_DIR-NOTFOUND" >>"$checkout/build/release/CMakeCache.txt"
call_tool gui run.json
expect "tools/gui installs Qt" said "apt-get install .*qt6-base-dev"
expect "and configures again" test "$(grep -c "cmake --fresh --preset release" "$scratch/said")" == 2
expect "and starts the window" test "$(cat "$scratch/out")" == "program run.json"

((failures == 0)) && echo "all well"
exit "$((failures > 0))"
