# Sourced by the tools: installs what is missing, configures and builds one preset.
#   prepare dev "run test"           builds everything of the preset in build/dev
#   prepare release run fabricast    builds one target in build/release
# All it says goes to stderr; what cmake and apt say goes to build/PRESET/log.

readonly ENVIRONMENT_TROUBLE=4
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }

# The last word before giving up on the machine: why, and where to read more.
give_up() {
    say "$@"
    exit "$ENVIRONMENT_TROUBLE"
}

# packages_for "run test": their names, one per line.
packages_for() {
    local purpose package
    while read -r purpose package; do
        [[ " $1 " == *" $purpose "* ]] && printf '%s\n' "$package"
    done <"$root/tools/packages.txt"
}

# Those of the given packages that dpkg does not know as installed.
missing_packages() {
    local package
    for package in "$@"; do
        dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null |
            grep -qx installed || printf '%s\n' "$package"
    done
}

# The words to put before apt-get, or failure when this user may not install.
as_administrator() {
    command -v apt-get >/dev/null || return 1
    if [[ $(id -u) == 0 ]]; then
        echo env
    elif command -v sudo >/dev/null && { [[ -t 0 && -t 2 ]] || sudo -n true 2>/dev/null; }; then
        echo sudo
    else
        return 1
    fi
}

apt_install() {
    local admin=$1 options=(--yes --no-install-recommends -o DPkg::Lock::Timeout=300)
    shift
    "$admin" env DEBIAN_FRONTEND=noninteractive apt-get install "${options[@]}" "$@" </dev/null
}

# install_missing "run test" LOG: installs what it may; what stays missing is left in $not_installed.
install_missing() {
    local log=$2 admin wanted=() missing=()
    not_installed=()
    command -v dpkg-query >/dev/null || return 0
    mapfile -t wanted < <(packages_for "$1")
    mapfile -t missing < <(missing_packages "${wanted[@]}")
    ((${#missing[@]})) || return 0
    if ! admin=$(as_administrator); then
        not_installed=("${missing[@]}")
        return 0
    fi
    say "installing ${missing[*]} (log: $log)"
    # An image without package lists, or with old ones, needs an update first.
    apt_install "$admin" "${missing[@]}" >>"$log" 2>&1 ||
        { "$admin" apt-get update </dev/null && apt_install "$admin" "${missing[@]}"; } \
            >>"$log" 2>&1 || give_up "could not install ${missing[*]} (log: $log)"
}

say_what_to_install() {
    ((${#not_installed[@]})) || return 0
    say "these packages are missing, and this user may not install them. Type:"
    say "  sudo apt-get install --yes --no-install-recommends ${not_installed[*]}"
}

# As many compilers as there are processors, but each with a gigabyte of memory.
jobs_here() {
    local processors kilobytes
    processors=$(nproc)
    kilobytes=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo 2>/dev/null)
    local fitting=$((${kilobytes:-0} / 1048576))
    ((kilobytes && fitting < processors)) && processors=$((fitting > 1 ? fitting : 1))
    echo "$processors"
}

# A copied or moved checkout leaves a cache that names the old place.
configured_here() {
    local cache=$1/CMakeCache.txt
    [[ -f $1/build.ninja ]] && grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache" 2>/dev/null
}

configure() {
    local preset=$1 purposes=$2 build=$3 log=$3/log
    install_missing "$purposes" "$log"
    if ! (cd -- "$root" && LC_ALL=C.UTF-8 cmake --fresh --preset "$preset") >>"$log" 2>&1; then
        if ((${#not_installed[@]})); then
            say_what_to_install
            exit "$ENVIRONMENT_TROUBLE"
        fi
        show_errors "$log"
        give_up "could not configure (log: $log)"
    fi
    touch "$build/configured"
}

show_errors() {
    grep -m 5 -iE '(^|[^a-z])(fatal )?error[: ]|command not found' "$1" >&2
}

prepare() {
    local preset=$1 purposes=$2 build=$root/build/$1 log=$root/build/$1/log
    mkdir -p -- "$build" 2>/dev/null || give_up "cannot write to $root/build"
    # Two calls at once take turns, and the second finds the work done.
    exec 9>"$build/lock" || give_up "cannot write to $build"
    flock 9
    # A compiler cache needs a home that can be written to.
    if [[ -z ${CCACHE_DIR:-} && ! -w ${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache} ]]; then
        export CCACHE_DIR=$root/build/ccache
    fi
    if ! configured_here "$build" || [[ $root/tools/packages.txt -nt $build/configured ]]; then
        : >"$log"
        configure "$preset" "$purposes" "$build"
    fi
    build "$build" "$log" "${3:-all}"
    exec 9>&-
}

# "[214/310] 40 s left": how far a build is, from a line of ninja's. On a terminal the line replaces itself;
# elsewhere one is written for each quarter.
show_progress() {
    local finished=$1 total=$2 elapsed=$((SECONDS - build_started)) left=""
    ((finished > 4 && elapsed > 2)) && left=", about $((elapsed * (total - finished) / finished)) s left"
    if [[ -t 2 ]]; then
        printf '\r\033[K[%d/%d]%s' "$finished" "$total" "$left" >&2
    elif ((4 * finished / total > quarters)); then
        quarters=$((4 * finished / total))
        say "[$finished/$total] after $elapsed s"
    fi
}

# build BUILD LOG TARGET: says that it builds when there is something to build, and nothing otherwise.
build() {
    local build=$1 log=$2 target=$3 line said=no build_started=$SECONDS quarters=0
    NINJA_STATUS='[%f/%t] ' LC_ALL=C.UTF-8 ninja -C "$build" -j "$(jobs_here)" "$target" </dev/null 2>&1 | {
        while IFS= read -r line; do
            printf '%s\n' "$line"
            [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
            if [[ $said == no ]]; then
                say "building (log: $log)"
                said=yes
            fi
            show_progress "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
        done >"$build/ninja.out"
        [[ $said == no || ! -t 2 ]] || printf '\r\033[K' >&2
    }
    if ((PIPESTATUS[0])); then
        cat "$build/ninja.out" >>"$log"
        show_errors "$build/ninja.out"
        say "could not build (log: $log)"
        exit "${BUILD_TROUBLE:-$ENVIRONMENT_TROUBLE}"
    fi
}
