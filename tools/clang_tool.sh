# Sourced by tools/format and tools/tidy: every version of the clang tools has its own opinion, so
# only version 14 is asked.
readonly CLANG_VERSION=14

# find_clang_tool clang-format: prints the command, or says what to install and fails.
find_clang_tool() {
    local command
    for command in "$1-$CLANG_VERSION" "$1"; do
        if "$command" --version 2>/dev/null | grep -q "version $CLANG_VERSION\."; then
            echo "$command"
            return 0
        fi
    done
    printf '%s %s is missing. Type:\n' "$1" "$CLANG_VERSION" >&2
    printf '  sudo apt-get install --yes --no-install-recommends %s-%s\n' "$1" "$CLANG_VERSION" >&2
    return 1
}
