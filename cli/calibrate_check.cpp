#include "cli/calibrate_check.h"

#include "planner/io/text_file.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 30.0 * 24 * 3600;
/// No host has more GPUs.
constexpr std::int64_t kMostLocalGpus = 64;
/// More processes than that on a host is a slip of the hand.
constexpr std::int64_t kMostLocalRanks = 1024;

std::string quoted(const std::string& path) {
    return "\"" + path + "\"";
}

/// A file that is to be written there: its folder is.
Result<void> checkFile(const char* flag, const std::string& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
        return fail(Error::Code::Environment,
                    flag,
                    quoted(path) + " is a folder",
                    std::string("name a file in it: ") + flag + " " +
                        (fs::path(path) / "run.jsonl").string());
    }
    const fs::path parent = fs::path(path).parent_path();
    const fs::path folder = parent.empty() ? fs::path(".") : parent;
    if (!fs::is_directory(folder, error)) {
        return fail(Error::Code::Environment,
                    flag,
                    "there is no folder " + quoted(folder.string()),
                    "mkdir -p " + folder.string());
    }
    if (::access(folder.c_str(), W_OK) != 0 && !fs::exists(path, error)) {
        return fail(Error::Code::Environment,
                    flag,
                    "the folder " + quoted(folder.string()) + " cannot be written to",
                    "choose another");
    }
    return {};
}

/// A folder that is there or can be made: the first above it that is there is a folder, and can be
/// written to.
Result<void> checkFolder(const char* flag, const std::string& folder) {
    std::error_code error;
    fs::path place = fs::absolute(folder, error);
    while (!fs::exists(place, error) && place.has_relative_path()) {
        place = place.parent_path();
    }
    if (!fs::is_directory(place, error)) {
        return fail(Error::Code::Environment,
                    flag,
                    quoted(place.string()) + " is no folder",
                    std::string(flag) + " measured");
    }
    if (::access(place.c_str(), W_OK) != 0) {
        return fail(Error::Code::Environment,
                    flag,
                    "the folder " + quoted(place.string()) + " cannot be written to",
                    "choose another");
    }
    return {};
}

Result<std::size_t> gpuNumber(const std::string& text) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
        return fail(Error::Code::BadInput,
                    "--gpus",
                    quoted(text) + " is no number of a GPU",
                    "their numbers begin with 0: --gpus 0,1");
    }
    return number;
}

/// "node1", "10.0.0.1", "node1:4".
Result<void> checkHost(const std::string& host) {
    constexpr std::string_view kLetters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:";
    if (host.empty() || host.starts_with('-') ||
        host.find_first_not_of(kLetters) != std::string::npos) {
        return fail(Error::Code::BadInput,
                    "--hosts",
                    quoted(host) + " is no name of a host",
                    "--hosts node1,node2");
    }
    return {};
}

std::string gpusHere(std::size_t count) {
    return count == 1 ? "there is 1 GPU here" : "there are " + std::to_string(count) + " GPUs here";
}

}  // namespace

Result<void> checkCalibration(const CalibrateRequest& request,
                              const ProfileStore& store,
                              const CalibrateFit& fit,
                              const GlobalOptions& options) {
    for (const auto& [flag, seconds] : {std::pair("--time-budget", request.seconds),
                                        std::pair("--stall", request.silentSeconds)}) {
        if (seconds > kMostSeconds) {
            return fail(Error::Code::BadInput, flag, "is longer than 30 days", "5m is usual");
        }
    }
    FABRICAST_TRY(checkFile("--out", request.out));
    if (!request.tunerDump.empty()) {
        FABRICAST_TRY(checkFile("--tuner-dump", request.tunerDump));
    }
    std::error_code error;
    if (!request.scratch.empty() && !fs::is_directory(request.scratch, error)) {
        return fail(Error::Code::Environment,
                    "--scratch",
                    "there is no folder " + quoted(request.scratch),
                    "name one on the disk to measure");
    }
    if (!fit.folder.empty()) {
        FABRICAST_TRY(checkFolder("--profile", options.at(fit.folder)));
    }
    if (!fit.options.machine.empty()) {
        FABRICAST_ASSIGN(const ClusterSpec machine,
                         store.cluster(fit.options.machine, "--machine"));
    }
    if (!fit.options.gpu.empty()) {
        FABRICAST_ASSIGN(const GpuSpec gpu, store.gpu(fit.options.gpu, "--gpu"));
    }
    if (!fit.topology.empty()) {
        FABRICAST_ASSIGN(const std::string text, readTextFile(options.at(fit.topology)));
    }
    return {};
}

Result<void> checkAgainstMachine(const CalibrateRequest& request, const MachineInventory& machine) {
    for (const std::string& host : request.hosts) {
        FABRICAST_TRY(checkHost(host));
    }
    const std::size_t here = machine.gpus.size();
    for (const std::string& gpu : request.gpus) {
        FABRICAST_ASSIGN(const std::size_t number, gpuNumber(gpu));
        if (here > 0 && number >= here) {
            return fail(Error::Code::BadInput,
                        "--gpus",
                        "no GPU " + gpu + ": " + gpusHere(here) + ", counted from 0",
                        "fabricast probe lists them");
        }
    }
    // Without GPUs auto measures CPUs.
    if (request.engine == CalibrateEngine::Mpi ||
        (request.engine == CalibrateEngine::Auto && here == 0)) {
        const auto hosts =
            std::max<std::int64_t>(1, static_cast<std::int64_t>(request.hosts.size()));
        return request.ranks <= kMostLocalRanks * hosts
                   ? Result<void>()
                   : fail(Error::Code::BadInput,
                          "--ranks",
                          std::to_string(request.ranks) + " are more than " +
                              std::to_string(kMostLocalRanks) + " on a host",
                          "a rank for each core is usual");
    }
    const std::size_t chosen = request.gpus.empty() ? here : request.gpus.size();
    const std::int64_t most = chosen > 0 ? static_cast<std::int64_t>(chosen) : kMostLocalGpus;
    if (request.ranks > most) {
        return fail(
            Error::Code::BadInput,
            "--ranks",
            std::to_string(request.ranks) + " ranks need a GPU each, and " +
                (request.gpus.empty()
                     ? (here > 0 ? gpusHere(here) : "no host has more than " + std::to_string(most))
                     : "--gpus names " + std::to_string(chosen)),
            "--ranks " + std::to_string(most) + " or fewer");
    }
    return {};
}

}  // namespace fabricast
