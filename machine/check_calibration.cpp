#include "machine/calibration.h"
#include "planner/text/shell_text.h"
#include "planner/text/text_files.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 30.0 * 24 * 3600;
/// No host has more GPUs than this.
constexpr std::int64_t kMostLocalGpus = 64;
/// More processes on a host are a typing error.
constexpr std::int64_t kMostLocalRanks = 1024;

std::string quoted(const std::string& path) {
    return "\"" + path + "\"";
}

/// A file to be written: its folder must exist.
Result<void> checkFile(const char* flag, const std::string& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
        return fail(Error::Code::Environment,
                    flag,
                    quoted(path) + " is a folder",
                    std::string("name a file in it: ") + flag + " " +
                        (fs::path(path) / "run.jsonl").string());
    }
    if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
        return fail(Error::Code::BadInput,
                    flag,
                    quoted(path) + " is a pipe or a device, which keeps nothing",
                    std::string(flag) + " run.jsonl");
    }
    const fs::path parent = fs::path(path).parent_path();
    const fs::path folder = parent.empty() ? fs::path(".") : parent;
    if (!fs::is_directory(folder, error)) {
        return fail(Error::Code::Environment,
                    flag,
                    "the folder " + quoted(folder.string()) + " does not exist",
                    shellCommand({"mkdir", "-p", folder.string()}));
    }
    if (::access(folder.c_str(), W_OK) != 0 && !fs::exists(path, error)) {
        return fail(Error::Code::Environment,
                    flag,
                    "the folder " + quoted(folder.string()) + " cannot be written to",
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
                    quoted(text) + " is not a GPU number",
                    "GPUs are numbered from 0: --gpus 0,1");
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
                    quoted(host) + " is not a host name",
                    "--hosts node1,node2");
    }
    return {};
}

std::string gpusHere(std::size_t count) {
    return count == 1 ? "there is 1 GPU here" : "there are " + std::to_string(count) + " GPUs here";
}

}  // namespace

Result<void> checkFolder(const char* flag, const std::string& folder) {
    std::error_code error;
    fs::path place = fs::absolute(folder, error);
    while (!fs::exists(fs::symlink_status(place, error)) && place.has_relative_path()) {
        place = place.parent_path();
    }
    if (!fs::exists(place, error)) {
        const fs::path leads = place.parent_path() / fs::read_symlink(place, error);
        return fail(Error::Code::Environment,
                    flag,
                    quoted(place.string()) + " is a link to " + quoted(leads.string()) +
                        ", which is not there",
                    shellCommand({"mkdir", "-p", leads.string()}));
    }
    if (!fs::is_directory(place, error)) {
        return fail(Error::Code::Environment,
                    flag,
                    quoted(place.string()) + " is not a folder",
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

Result<void> checkMeasuring(const MeasureAsk& ask) {
    for (const auto& [flag, seconds] :
         {std::pair("--time-budget", ask.seconds), std::pair("--stall", ask.silentSeconds)}) {
        if (seconds > kMostSeconds) {
            return fail(Error::Code::BadInput, flag, "is longer than 30 days", "5m is usual");
        }
    }
    FABRICAST_TRY(checkFile("--out", ask.out));
    if (!ask.tunerDump.empty()) {
        FABRICAST_TRY(checkFile("--tuner-dump", ask.tunerDump));
    }
    std::error_code error;
    if (!ask.scratch.empty() && !fs::is_directory(ask.scratch, error)) {
        return fail(Error::Code::Environment,
                    "--scratch",
                    "the folder " + quoted(ask.scratch) + " does not exist",
                    "name one on the disk to measure");
    }
    return {};
}

Result<void> checkTopology(const FitAsk& ask) {
    return ask.topology.empty() || !ask.folder.empty() ? Result<void>()
                                                       : fail(Error::Code::BadInput,
                                                              "--topology",
                                                              "needs a profile to be kept with",
                                                              "add --profile DIR");
}

Result<void> checkFit(const FitAsk& ask, const ProfileStore& store) {
    FABRICAST_TRY(checkTopology(ask));
    if (!ask.folder.empty()) {
        FABRICAST_TRY(checkFolder("--profile", ask.folder));
    }
    if (!ask.machine.empty()) {
        FABRICAST_ASSIGN(const ClusterSpec machine, store.cluster(ask.machine, "--machine"));
    }
    if (!ask.gpu.empty()) {
        FABRICAST_ASSIGN(const GpuSpec gpu, store.gpu(ask.gpu, "--gpu"));
    }
    if (!ask.topology.empty()) {
        FABRICAST_ASSIGN(const std::string text, readTextFile(ask.topology));
    }
    return {};
}

Result<void> checkAgainstMachine(const MeasureAsk& ask, const MachineInventory& machine) {
    for (const std::string& host : ask.hosts) {
        FABRICAST_TRY(checkHost(host));
    }
    const std::size_t here = machine.gpus.size();
    std::set<std::size_t> named;
    for (const std::string& gpu : ask.gpus) {
        FABRICAST_ASSIGN(const std::size_t number, gpuNumber(gpu));
        if (!named.insert(number).second) {
            return fail(Error::Code::BadInput,
                        "--gpus",
                        "GPU " + gpu + " is named twice",
                        "each GPU once: --gpus 0,1");
        }
        if (here > 0 && number >= here) {
            return fail(Error::Code::BadInput,
                        "--gpus",
                        "GPU " + gpu + " does not exist: " + gpusHere(here) + ", numbered from 0",
                        "fabricast probe lists them");
        }
    }
    // Without GPUs auto measures CPUs.
    if (ask.engine == CalibrationEngine::Mpi ||
        (ask.engine == CalibrationEngine::Auto && here == 0)) {
        const auto hosts = std::max<std::int64_t>(1, static_cast<std::int64_t>(ask.hosts.size()));
        return ask.ranks <= kMostLocalRanks * hosts
                   ? Result<void>()
                   : fail(Error::Code::BadInput,
                          "--ranks",
                          std::to_string(ask.ranks) + " ranks are more than the limit of " +
                              std::to_string(kMostLocalRanks) + " per host",
                          "one rank per core is usual");
    }
    const std::size_t chosen = ask.gpus.empty() ? here : ask.gpus.size();
    const std::int64_t most = chosen > 0 ? static_cast<std::int64_t>(chosen) : kMostLocalGpus;
    if (ask.ranks > most) {
        return fail(
            Error::Code::BadInput,
            "--ranks",
            std::to_string(ask.ranks) + " ranks need one GPU each, and " +
                (ask.gpus.empty()
                     ? (here > 0 ? gpusHere(here) : "no host has more than " + std::to_string(most))
                     : "--gpus lists " + std::to_string(chosen)),
            "--ranks " + std::to_string(most) + " or fewer");
    }
    return {};
}

}  // namespace fabricast
