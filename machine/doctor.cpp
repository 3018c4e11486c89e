#include "machine/doctor.h"

#include "machine/child_process.h"
#include "machine/find_probe.h"
#include "machine/print_page.h"
#include "machine/program_paths.h"
#include "planner/profiles/verify_profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>
#include <optional>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

using State = CheckedPart::State;

/// The first of its lines with a number like 4.1, else the first.
std::string versionLine(const std::string& text) {
    static constexpr std::string_view kDigits = "0123456789";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        for (std::size_t dot = line.find('.'); dot != std::string::npos;
             dot = line.find('.', dot + 1)) {
            const bool isBetween = dot > 0 && dot + 1 < line.size() &&
                                   kDigits.find(line[dot - 1]) != std::string_view::npos &&
                                   kDigits.find(line[dot + 1]) != std::string_view::npos;
            if (isBetween) {
                return line;
            }
        }
        at = end + 1;
    }
    return text.substr(0, text.find('\n'));
}

/// What a program prints of its version; empty where it prints none in time.
std::string versionOf(const std::string& program, const std::string& flag, const Watch& watch) {
    constexpr double kMostForVersion = 5.0;
    const Result<ChildOutcome> outcome = runChild({.command = {program, flag},
                                                   .mostSeconds = kMostForVersion,
                                                   .graceSeconds = 1.0,
                                                   .stop = watch.stop});
    const bool answers = outcome && outcome->end == ChildOutcome::End::Exited;
    return answers ? versionLine(outcome->out) : "";
}

/// A program of someone else, by the first of its names that is on PATH.
struct ToolPart {
    const char* name;
    std::vector<const char*> programs;
    const char* flag;
    const char* purpose;
    const char* type;
};

CheckedPart lookFor(const ToolPart& tool, const Watch& watch) {
    CheckedPart part{.name = tool.name, .purpose = tool.purpose};
    for (const char* name : tool.programs) {
        if (const std::optional<std::string> path = programOnPath(name)) {
            const std::string version = versionOf(*path, tool.flag, watch);
            part.state = State::Found;
            part.found = version.empty() ? *path : version + " (" + *path + ")";
            return part;
        }
    }
    part.type = tool.type;
    return part;
}

std::vector<ToolPart> tools() {
    return {{"C++ compiler",
             {"c++", "g++", "clang++"},
             "--version",
             "build the probes here",
             "apt-get install g++"},
            {"CMake", {"cmake"}, "--version", "build the probes here", "apt-get install cmake"},
            {"MPI",
             {"mpirun", "mpiexec"},
             "--version",
             "probes of several nodes",
             "apt-get install openmpi-bin libopenmpi-dev"},
            {"NVIDIA driver",
             {"nvidia-smi"},
             "--version",
             "GPUs of this machine",
             "the driver of NVIDIA; commands that do not measure need none"},
            {"CUDA", {"nvcc"}, "--version", "build the probes of GPUs", "install the CUDA toolkit"},
            {"window",
             {"fabricast-gui"},
             "--version",
             "the same answers in a window (Qt 6)",
             "tools/gui"},
            {"git", {"git"}, "--version", "check --baseline git:main", "apt-get install git"}};
}

CheckedPart browserPart() {
    const std::optional<std::string> browser = findBrowser();
    return {.name = "browser",
            .purpose = "reports as PDF (-f pdf)",
            .state = browser ? State::Found : State::Missing,
            .found = browser.value_or(""),
            .type = browser ? "" : "apt-get install chromium"};
}

/// The library in the folders where packages put it.
CheckedPart ncclPart() {
    CheckedPart part{.name = "NCCL",
                     .purpose = "probes of collectives on GPUs",
                     .type = "apt-get install libnccl2 libnccl-dev (NVIDIA's repository)"};
    for (const char* folder : {"/usr/lib/x86_64-linux-gnu",
                               "/usr/lib/aarch64-linux-gnu",
                               "/usr/local/lib",
                               "/usr/lib64",
                               "/usr/local/cuda/lib64"}) {
        const std::filesystem::path library = std::filesystem::path(folder) / "libnccl.so.2";
        std::error_code error;
        const std::filesystem::path real = std::filesystem::canonical(library, error);
        if (!error) {
            part.state = State::Found;
            part.found = real.string();
            part.type.clear();
            return part;
        }
    }
    return part;
}

CheckedPart probePart(const char* name, const char* purpose) {
    const Result<std::string> place = findProbe(name, "");
    return {.name = name,
            .purpose = purpose,
            .state = place ? State::Found : State::Missing,
            .found = place.value_or(""),
            .type = place ? "" : std::string("cmake --build build --target ") + name};
}

CheckedPart profilesPart(const ProfileStore& store) {
    const ProfileVerification found = verifyProfiles(store);
    const auto all = std::accumulate(found.count.begin(), found.count.end(), std::size_t{0});
    std::size_t errors = 0;
    std::string first;
    for (const ProfileFinding& finding : found.findings) {
        if (finding.severity == ProfileFinding::Severity::Error) {
            first = errors++ == 0 ? finding.where + ": " + finding.why : first;
        }
    }
    const bool sound = found.sound();
    return {.name = "profiles",
            .purpose = "hardware, models, prices",
            .state = sound ? State::Found : State::Broken,
            .found = sound ? fmt::format("{} profiles", all)
                           : fmt::format("{} errors; the first: {}", errors, first),
            .type = sound ? "" : "fabricast profiles verify"};
}

/// Profiles of the user, of which measurements are told apart.
CheckedPart ownPart(const ProfileStore& store) {
    std::size_t own = 0;
    std::string measured;
    for (const ProfileKind kind : kProfileKinds) {
        const auto files = store.files(kind);
        const auto count = std::ranges::count_if(files, &ProfileFile::isOwn);
        own += static_cast<std::size_t>(count);
        const bool isMeasurement = kind == ProfileKind::Kernel || kind == ProfileKind::Collective ||
                                   kind == ProfileKind::Correction;
        if (isMeasurement && count > 0) {
            measured += fmt::format(", {} {}", count, profileKindName(kind));
        }
    }
    return {.name = "your measurements",
            .purpose = "forecasts of your own machines",
            .state = own > 0 ? State::Found : State::Missing,
            .found = own > 0 ? fmt::format("{} of your profiles{}", own, measured) : "",
            .type = own > 0 ? "" : "fabricast calibrate --profile DIR, then --profile-dir DIR"};
}

}  // namespace

bool Checkup::sound() const {
    return std::ranges::none_of(
        parts, [](const CheckedPart& part) { return part.state == State::Broken; });
}

Checkup checkUp(const ProfileStore& store, std::string_view version, const Watch& watch) {
    Checkup checkup;
    checkup.parts.push_back({.name = "fabricast",
                             .purpose = "this program",
                             .state = State::Found,
                             .found = std::string(version)});
    checkup.parts.push_back(profilesPart(store));
    checkup.parts.push_back(ownPart(store));
    for (const auto& [name, purpose] :
         {std::pair{"fabricast-probe-host", "fabricast probe: what this machine has"},
          std::pair{"fabricast-probe-cuda", "calibrate: kernels of a GPU"},
          std::pair{"fabricast-probe-nccl", "calibrate: collectives of GPUs"},
          std::pair{"fabricast-probe-mpi", "calibrate: collectives of CPUs"}}) {
        checkup.parts.push_back(probePart(name, purpose));
    }
    for (const ToolPart& tool : tools()) {
        checkup.parts.push_back(lookFor(tool, watch));
    }
    checkup.parts.push_back(ncclPart());
    checkup.parts.push_back(browserPart());
    return checkup;
}

}  // namespace fabricast
